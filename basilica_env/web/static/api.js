// The server's interface (docs/web-api.md): requests, streams of events, and what to say when they fail.

const RETRY = 1500; // milliseconds before a stream is opened anew

/** A refused or failed request; its message is for people. */
export class Failure extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Ask the server; the answer is the object it sends, or null if it sends none. */
export async function ask(method, path, body = undefined, signal = undefined) {
  const answer = await sent(method, path, body, signal);
  if (answer.status === 204) return null;
  const object = await answer.json().catch(() => ({}));
  if (answer.ok) return object;
  throw new Failure(object.error ?? `The server answered ${answer.status} ${answer.statusText}.`, answer.status);
}

/** Fetch a text, such as a record. */
export async function askText(path) {
  const answer = await sent("GET", path);
  if (!answer.ok) throw new Failure(`The server answered ${answer.status} ${answer.statusText}.`, answer.status);
  return answer.text();
}

async function sent(method, path, body, signal) {
  const options = { method, signal };
  if (body !== undefined) {
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("The server does not answer. Is it still running?", 0);
  }
}

/** A stream of events that opens itself again when it breaks, and sleeps while the page is hidden. */
export class Live {
  /** `listeners` are called with the data of the events they are named after, `broken` when the stream breaks. */
  constructor(path, listeners) {
    this.path = path;
    this.listeners = listeners;
    this.sleep = () => (document.hidden ? this.#stop() : this.#open());
    document.addEventListener("visibilitychange", this.sleep);
    if (!document.hidden) this.#open();
  }

  #open() {
    if (this.source) return;
    this.source = new EventSource(this.path);
    this.source.addEventListener("open", () => showLost(false));
    this.source.addEventListener("error", () => this.#broken());
    for (const [name, listener] of Object.entries(this.listeners)) {
      this.source.addEventListener(name, event => listener(JSON.parse(event.data)));
    }
  }

  #broken() {
    showLost(true);
    this.listeners.broken?.();
    if (this.source?.readyState !== EventSource.CLOSED) return; // it tries again by itself
    this.source = null;
    this.timer = setTimeout(() => this.#open(), RETRY);
  }

  #stop() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  close() {
    document.removeEventListener("visibilitychange", this.sleep);
    this.#stop();
    showLost(false);
  }
}

function showLost(lost) {
  document.getElementById("lost").textContent = lost ? "The connection is lost. Trying again …" : "";
}

/** Show what went wrong until it is closed or something new happens. */
export function notify(error) {
  if (error.name === "AbortError") return;
  const notice = document.getElementById("notice");
  notice.firstElementChild.textContent = error.message;
  notice.hidden = false;
}

export function clearNotice() {
  document.getElementById("notice").hidden = true;
}

/** Say something to those who do not see the page. */
export function say(words) {
  document.getElementById("said").textContent = words;
}
