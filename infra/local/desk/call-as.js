/** Adds "Call as" to a page of the documentation: its requests are then those of a demo user, without a pasted token. */
const slot = document.getElementById("call-as");
const isGuides = document.getElementById("guides") !== null;

async function ask(path, options) {
  const answer = await fetch(path, options);
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.message ?? body.detail ?? `${path} was answered with ${answer.status}`);
  return body;
}

function show(text) {
  const shown = slot.querySelector("pre") ?? document.createElement("pre");
  shown.textContent = text;
  shown.tabIndex = 0;
  shown.setAttribute("role", "status");
  slot.append(shown);
}

/** The guides show a first answer; the reference takes the token over. */
async function callAs({ id, path }, deskToken) {
  const headers = { "content-type": "application/json", "x-desk-token": deskToken };
  const { token } = await ask("/_local/desk/token", { method: "POST", headers, body: JSON.stringify({ user: id }) });
  if (!isGuides) return document.dispatchEvent(new CustomEvent("bearer", { detail: token }));
  const answer = await ask(path, { headers: { authorization: `Bearer ${token}` } });
  return show(`GET ${path}\n\n${JSON.stringify(answer, null, 2)}`);
}

function addChoice({ deskToken, callers }) {
  const label = document.createElement("label");
  label.htmlFor = "caller";
  label.textContent = "Call as";
  const select = document.createElement("select");
  select.id = "caller";
  select.add(new Option(isGuides ? "choose a demo user" : "nobody", ""));
  callers.forEach(({ name, role }, at) => {
    select.add(new Option(`${name}, ${role}`, String(at)));
  });
  select.addEventListener("change", () => {
    select.options[0].disabled = true;
    callAs(callers[Number(select.value)], deskToken).catch((error) => show(error.message));
  });
  slot.className = "panel";
  slot.replaceChildren(label, select);
}

addChoice(await ask("/_local/desk/start"));
