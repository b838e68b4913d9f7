/** The button in the header: light to dark and back, kept for this browser. */
export function startTheme(): void {
  const root = document.documentElement;
  document.querySelector("[data-theme-toggle]")?.addEventListener("click", () => {
    const isDark =
      root.dataset["theme"] === "dark" ||
      (root.dataset["theme"] === undefined && matchMedia("(prefers-color-scheme: dark)").matches);
    const next = isDark ? "light" : "dark";
    root.dataset["theme"] = next;
    localStorage.setItem("edgeloom-theme", next);
  });
}
