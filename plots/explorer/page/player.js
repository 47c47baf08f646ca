// --- The player: the steps of one run that is in the page, for notebooks. It has the explorer's drawings, and no engine. ------------

const played = /*ARLAB_RUN*/null/*END*/;
const precomputed = played, catalog = {topologies: []};
const state = {ranks: played.chunks.length, on: "circle"};

function networkOf() { throw new Error("the player draws no network"); }
function drawNetwork() { networkOf(); }

function startPlayer() {
  let step = 0, timer = 0;
  const last = played.steps.length, view = byId("view");
  const circle = stagePanel(view, "messages", () => {}), grid = holdingsPanel(view, played, "contributions held");
  byId("step").max = last;
  const show = (next) => {
    step = Math.max(0, Math.min(last, next));
    circle(step > 0 ? played.steps[step - 1].messages : []);
    grid.paint(step);
    byId("step").value = step;
    byId("text").textContent = stepText(played, step);
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    byId("play").textContent = "play";
  };
  byId("play").addEventListener("click", () => {
    if (timer) return stop();
    if (step === last) show(0);
    byId("play").textContent = "pause";
    timer = setInterval(() => { show(step + 1); if (step === last) stop(); }, 900);
  });
  byId("back").addEventListener("click", () => { stop(); show(step - 1); });
  byId("forward").addEventListener("click", () => { stop(); show(step + 1); });
  byId("step").addEventListener("input", ({target}) => { stop(); show(Number(target.value)); });
  show(0);
}
startPlayer();
