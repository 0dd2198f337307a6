// Light, dark, or as the system has it.

import { h } from "./dom";
import { icon, type IconName } from "./icons";

type Theme = "auto" | "light" | "dark";
const ORDER: Theme[] = ["auto", "light", "dark"];
const ICONS: Record<Theme, IconName> = { auto: "auto", light: "sun", dark: "moon" };
const KEY = "lto-theme";

/** A button that goes through the themes; `changed` is called when colors have changed. */
export function themeButton(changed: () => void): HTMLButtonElement {
  const stored = localStorage.getItem(KEY) as Theme | null;
  let theme: Theme = stored && ORDER.includes(stored) ? stored : "auto";
  const button = h("button", { type: "button", className: "round quiet" });
  const apply = () => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.replaceChildren(icon(ICONS[theme]));
    button.setAttribute("aria-label", `Colors: ${theme}`);
    button.title = `Colors: ${theme}`;
    changed();
  };
  button.addEventListener("click", () => {
    theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length];
    localStorage.setItem(KEY, theme);
    apply();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  apply();
  return button;
}
