/** The theme button in the header: switches between light and dark and stores the choice in this browser. */
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
