import { vi } from 'vitest';
import { page, type Locator } from 'vitest/browser';
import type { OwnerWindow, Part } from '#test/page/owner-shot.ts';
import type { FakeApi } from './fake-api.ts';

const isVisible = (element: Element) => element.checkVisibility({ visibilityProperty: true });

/** However busy the machine is: what never comes fails all the same. */
export const patience = { timeout: 20_000, interval: 20 };

/** Those that a look now finds; nothing is looked for before it is needed. */
type Find = () => Element[];

const found =
  (locator: Locator): Find =>
  () =>
    locator.elements().filter(isVisible);

/** Types as React notices it. */
function type(element: Element, text: string): void {
  const field = element as HTMLInputElement | HTMLTextAreaElement;
  const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field) as object, 'value');
  field.focus();
  own?.set?.call(field, text);
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }));
}

/** A part of this document, with the names of Playwright's. */
class FakePart implements Part {
  readonly #name: string;
  readonly find: Find;

  constructor(name: string, find: Find) {
    this.#name = name;
    this.find = find;
  }

  #inside(name: string, find: Find): FakePart {
    const inside = (element: Element) => this.find().some((one) => one.contains(element));
    return new FakePart(`${name} in ${this.#name}`, () => find().filter(inside));
  }

  getByRole: Part['getByRole'] = (role, options) => this.#inside(...byRole(role, options));
  getByText: Part['getByText'] = (text, options) => this.#inside(...byText(text, options));
  getByLabel: Part['getByLabel'] = (text, options) => this.#inside(...byLabel(text, options));

  first(): FakePart {
    return new FakePart(this.#name, () => this.find().slice(0, 1));
  }

  or(other: FakePart): FakePart {
    return new FakePart(`${this.#name} or the other`, () => [...this.find(), ...other.find()]);
  }

  async waitFor(): Promise<HTMLElement> {
    return vi.waitFor(() => {
      const [element] = this.find();
      if (element === undefined) throw new Error(`There is no ${this.#name}`);
      return element as HTMLElement;
    }, patience);
  }

  async click(): Promise<void> {
    const element = await this.waitFor();
    element.click();
  }

  async check(): Promise<void> {
    const element = (await this.waitFor()) as HTMLInputElement;
    if (!element.checked) element.click();
  }

  async fill(text: string): Promise<void> {
    type(await this.waitFor(), text);
  }
}

const byRole = (...[role, options = {}]: Parameters<Part['getByRole']>) =>
  [
    `${role} ${String(options.name ?? '')}`,
    found(page.getByRole(role, { exact: false, ...options })),
  ] as const;

const byText = (...[text, options = {}]: Parameters<Part['getByText']>) =>
  [`text "${text}"`, found(page.getByText(text, { exact: false, ...options }))] as const;

const byLabel = (...[text, options = {}]: Parameters<Part['getByLabel']>) =>
  [`label "${text}"`, found(page.getByLabelText(text, { exact: false, ...options }))] as const;

const MODIFIERS = { Control: 'ctrlKey', Shift: 'shiftKey', Meta: 'metaKey', Alt: 'altKey' } as const;

function press(keys: string): void {
  const parts = keys.split('+');
  const key = parts.at(-1) ?? '';
  const held = Object.entries(MODIFIERS).filter(([name]) => parts.includes(name));
  const init = {
    key,
    bubbles: true,
    cancelable: true,
    ...Object.fromEntries(held.map(([, flag]) => [flag, true])),
  };
  for (const event of ['keydown', 'keyup']) {
    (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent(event, init));
  }
}

/** This document as the window of somebody who looks at the app: what `open` shows is loaded anew. */
export function fakeWindow(api: FakeApi, open: (path: string) => Promise<void>): OwnerWindow {
  const here = () => location.pathname + location.search;
  return {
    getByRole: (...args) => new FakePart(...byRole(...args)),
    getByText: (...args) => new FakePart(...byText(...args)),
    getByLabel: (...args) => new FakePart(...byLabel(...args)),
    locator: (selector) =>
      new FakePart(selector, () => [...document.querySelectorAll(selector)].filter(isVisible)),
    keyboard: { press: async (keys) => press(keys) },
    url: () => location.href,
    goto: (url) => open(new URL(url, location.href).href.slice(location.origin.length)),
    reload: () => open(here()),
    route: async (url, answer) => api.override(url, answer),
    waitForResponse: (isIt) =>
      new Promise<void>((resolve) => {
        api.onAnswer((url) => isIt({ url: () => url }) && resolve());
      }),
    evaluate: async (work, text) => work(text),
    context: () => ({ grantPermissions: async () => {} }),
  };
}
