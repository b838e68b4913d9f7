/** Sets the chosen theme before the page is painted. Without a choice, the system's theme applies. */
const chosen = localStorage.getItem("edgeloom-theme");
if (chosen === "light" || chosen === "dark") {
  document.documentElement.dataset["theme"] = chosen;
}
