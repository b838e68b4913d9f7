/** What moves on a page, for tests of `prefers-reduced-motion`. */
import type { Frame, Page } from "playwright-core";

export interface Motion {
  /** Animations under way that take more than a moment, by name and element. */
  readonly animations: readonly string[];
  /** Elements whose changes take more than a moment. */
  readonly transitions: readonly string[];
  /** Selectors of the page's style sheets that animate, and that no rule for reduced motion stills. */
  readonly unstilled: readonly string[];
}

/** A duration that cannot be seen, in ms. */
const MOMENT_MS = 1;

/** Looks at a page as it is now. `unused`: selectors of packages whose class the page never sets. */
export function motionOf(page: Page | Frame, unused: readonly string[] = []): Promise<Motion> {
  return page.evaluate<Motion>(`(() => {
    const nameOf = (element) => element === null ? "" : element.tagName.toLowerCase() + "." + element.getAttribute("class");
    const animations = document.getAnimations()
      .filter((animation) => animation instanceof CSSAnimation && animation.playState !== "finished")
      .filter((animation) => Number(animation.effect.getTiming().duration) > ${String(MOMENT_MS)})
      .map((animation) => animation.animationName + " " + nameOf(animation.effect.target));
    const msOf = (text) => Math.max(...text.split(",").map((part) => parseFloat(part) * (part.trim().endsWith("ms") ? 1 : 1000)));
    const transitions = [...document.querySelectorAll("body, body *")]
      .filter((element) => msOf(getComputedStyle(element).transitionDuration) > ${String(MOMENT_MS)})
      .map(nameOf);
    const [moving, stilled] = [new Set(), new Set(${JSON.stringify(unused)})];
    const walk = (rules, isReduced) => {
      for (const rule of rules) {
        const isOne = isReduced || (rule instanceof CSSMediaRule && /prefers-reduced-motion: ?reduce/.test(rule.conditionText));
        if (rule instanceof CSSStyleRule && rule.style.animationName !== "") {
          const isStill = rule.style.animationName === "none" || msOf(rule.style.animationDuration) <= ${String(MOMENT_MS)};
          for (const selector of rule.selectorText.split(/, (?![^(]*\\))/)) {
            if (isOne && isStill) stilled.add(selector);
            if (!isOne && rule.style.animationName !== "none") moving.add(selector);
          }
        } else if (isOne && rule instanceof CSSStyleRule && rule.style.animationDuration !== "" && msOf(rule.style.animationDuration) <= ${String(MOMENT_MS)}) {
          for (const selector of rule.selectorText.split(/, (?![^(]*\\))/)) stilled.add(selector);
        }
        if (rule.cssRules !== undefined) walk(rule.cssRules, isOne);
      }
    };
    for (const sheet of document.styleSheets) walk(sheet.cssRules, false);
    return { animations, transitions, unstilled: [...moving].filter((selector) => !stilled.has(selector)) };
  })()`);
}
