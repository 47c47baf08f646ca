// Search in pages that were opened from disk, where browsers start no worker: the worker's script runs in a hidden frame.
window.Worker = class extends EventTarget {
  constructor(script) {
    super();
    this.waiting = [];
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    this.scope = frame.contentWindow;
    this.scope.postMessage = (data) => {
      const event = new MessageEvent("message", {data});
      this.dispatchEvent(event);
      this.onmessage?.(event);
    };
    this.scope.importScripts = () => {};  // of other languages
    const element = frame.contentDocument.createElement("script");
    element.src = script;
    element.onload = () => {
      for (const data of this.waiting.splice(0)) this.deliver(data);
      this.waiting = null;
    };
    frame.contentDocument.body.append(element);
  }

  deliver(data) {
    this.scope.dispatchEvent(new this.scope.MessageEvent("message", {data}));
  }

  postMessage(data) {
    if (this.waiting) this.waiting.push(data);
    else this.deliver(data);
  }

  terminate() {}
};
