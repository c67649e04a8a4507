"use strict";
const status_line = document.getElementById("status");

function say(text) {
  status_line.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { status_line.textContent = ""; }, 3000);
}

function copy_by_selection(text) {  // where the browser gives no access to the clipboard
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "hidden";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

async function copy(button) {
  const entry = document.getElementById(button.dataset.copies);
  let done = false;
  try {
    await navigator.clipboard.writeText(entry.textContent);
    done = true;
  } catch (error) {
    done = copy_by_selection(entry.textContent);
  }
  button.focus();
  if (!done) entry.hidden = false;  // so that it can be copied by hand
  say(done ? "BibTeX copied" : "Copy the entry by hand");
}

window.addEventListener("message", (event) => {
  const height = Number(event.data && event.data.explanation_height);
  if (!(height > 0)) return;
  for (const frame of document.querySelectorAll("iframe")) {
    // its whole height, so that nobody scrolls within a scrolled page
    if (frame.contentWindow === event.source) frame.style.height = `${Math.ceil(height) + 40}px`;
  }
});

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", () => copy(button));
}
