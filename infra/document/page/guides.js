/** The address of the service in the guides' samples. */
const sampleOrigin = "http://localhost:3000";

/** The milliseconds for which a button says that it has copied. */
const saidMilliseconds = 1500;

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

for (const code of document.querySelectorAll("code")) {
  if (code.textContent.includes(sampleOrigin)) {
    code.textContent = code.textContent.replaceAll(sampleOrigin, location.origin);
  }
}
for (const pre of document.querySelectorAll("main pre")) addCopyButton(pre);
