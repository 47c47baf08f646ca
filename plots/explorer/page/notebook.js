// --- For notebooks: the steps of one run that is in the page, with the explorer's drawings and without its engine ----

const played = /*ARLAB_RUN*/null/*END*/;
const precomputed = played, catalog = {topologies: []};
const state = {ranks: played.chunks.length, on: "circle"};

function networkOf() { throw new Error("a notebook draws no network"); }
function drawNetwork() { networkOf(); }
function render() {}  // there is no choice to make

function startNotebook() {
  let at = 0, playing = false;
  const view = showSteps([{...stepsParts(byId("view"), played, {choice: false}), label: ""}]);
  const show = (to) => {
    at = Math.max(0, Math.min(view.last, to));
    byId("text").textContent = view.show(at);
    byId("step").value = at;
  };
  const stop = () => {
    stopGlide();
    playing = false;
    byId("play").textContent = "play";
  };
  const jump = (to) => { stop(); show(to); };
  byId("step").max = view.last;
  byId("step").step = 0.02;
  byId("play").addEventListener("click", () => {
    if (playing) return stop();
    playing = true;
    byId("play").textContent = "pause";
    glide(at === view.last ? 0 : at, view.last, 1500, show, stop);
  });
  byId("back").addEventListener("click", () => jump(Math.ceil(at - 1)));
  byId("forward").addEventListener("click", () => jump(Math.floor(at + 1)));
  byId("step").addEventListener("input", ({target}) => jump(Number(target.value)));
  show(0);
}
startNotebook();
