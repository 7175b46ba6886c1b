/** The address of the service in the guides' samples. */
const sampleOrigin = "http://localhost:3000";

/** The milliseconds for which a button says that it has copied. */
const saidMilliseconds = 1500;

/** The names of the tabs, by the language of a sample. */
const tabNames = { sh: "Shell", js: "JavaScript" };

/** The key under which the browser keeps the language that was chosen. */
const chosenKey = "sample-language";

function addCopyButton(pre) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const isCopied = await navigator.clipboard.writeText(pre.textContent).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? "Copied" : "Not copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, saidMilliseconds);
  });
  const frame = document.createElement("div");
  frame.className = "sample";
  pre.replaceWith(frame);
  frame.append(pre, button);
}

/** The frames of one sample in several languages: they follow each other. */
function framesFrom(first) {
  const frames = [first];
  while (frames.at(-1).nextElementSibling?.matches(".sample")) frames.push(frames.at(-1).nextElementSibling);
  return frames;
}

const languageOf = (frame) => frame.querySelector("pre").dataset.language;

/** Puts tabs above a sample in several languages. Gives a function that shows the one of a language. */
function addTabs(frames, number, choose) {
  const list = document.createElement("div");
  list.className = "tabs";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language of the sample");
  const tabs = frames.map((frame) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.setAttribute("role", "tab");
    tab.textContent = tabNames[languageOf(frame)];
    tab.id = `sample-${number}-${languageOf(frame)}`;
    frame.setAttribute("role", "tabpanel");
    frame.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => choose(languageOf(frame), tab));
    return tab;
  });
  list.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    const next = step && tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    next?.focus();
    next?.click();
  });
  frames[0].before(list);
  list.append(...tabs);
  return (language) => {
    for (const [at, tab] of tabs.entries()) {
      const isShown = languageOf(frames[at]) === language;
      frames[at].hidden = !isShown;
      tab.setAttribute("aria-selected", isShown);
      tab.tabIndex = isShown ? 0 : -1;
    }
  };
}

/** A browser may keep nothing of a page, by its reader's choice: then each visit begins with the shell. */
function chosenBefore() {
  try {
    return localStorage.getItem(chosenKey);
  } catch {
    return null;
  }
}

function keepChosen(language) {
  try {
    localStorage.setItem(chosenKey, language);
  } catch {
    // The choice holds until the page is left.
  }
}

/** Marks the link to the section that is read: the one below the upper fifth of the window. */
function markSection(entries) {
  for (const { target, isIntersecting } of entries) {
    const link = document.querySelector(`.contents a[href="#${target.getAttribute("aria-labelledby")}"]`);
    if (isIntersecting) link?.setAttribute("aria-current", "location");
    else link?.removeAttribute("aria-current");
  }
}

for (const code of document.querySelectorAll("code")) {
  if (code.textContent.includes(sampleOrigin)) {
    code.textContent = code.textContent.replaceAll(sampleOrigin, location.origin);
  }
}
for (const pre of document.querySelectorAll("main pre")) addCopyButton(pre);

const samples = [...document.querySelectorAll(".sample:not(.sample + .sample)")].map(framesFrom);
const inSeveral = samples.filter((frames) => frames.length > 1 && frames.every((each) => languageOf(each) in tabNames));
const choose = (language, tab) => {
  const top = tab?.getBoundingClientRect().top;
  for (const show of shows) show(language);
  // Samples above may have become shorter: the tab stays where it was pressed.
  if (tab) scrollBy(0, tab.getBoundingClientRect().top - top);
  if (tab) keepChosen(language);
};
const tabOrder = Object.keys(tabNames);
const placeOf = (frame) => tabOrder.indexOf(languageOf(frame));
const inOrder = inSeveral.map((frames) => frames.toSorted((one, other) => placeOf(one) - placeOf(other)));
const shows = inOrder.map((frames, number) => addTabs(frames, number, choose));
choose(chosenBefore() === "js" ? "js" : "sh");
// The place that the address names has moved with the samples above it.
document.getElementById(location.hash.slice(1))?.scrollIntoView();

const reading = new IntersectionObserver(markSection, { rootMargin: "-20% 0px -80% 0px" });
for (const section of document.querySelectorAll("main section")) reading.observe(section);
