import type { Page } from 'playwright-core';
import type { Who } from './owner-world.ts';

/** What the steps to a state need of a part of a window. */
export interface Part extends Finder {
  first(): Part;
  or(other: Part): Part;
  waitFor(): Promise<unknown>;
  click(options?: { force?: boolean }): Promise<unknown>;
  check(options?: { force?: boolean }): Promise<unknown>;
  fill(text: string): Promise<unknown>;
}

interface Finder {
  getByRole(
    role: Parameters<Page['getByRole']>[0],
    options?: { name?: string | RegExp; exact?: boolean },
  ): Part;
  getByText(text: string, options?: { exact?: boolean }): Part;
  getByLabel(text: string, options?: { exact?: boolean }): Part;
}

/** One call of the app that a state answers itself. */
export interface AnsweredCall {
  request(): { method(): string; postData(): string | null };
  fulfill(answer: { status?: number; json: unknown }): Promise<unknown>;
  continue(): Promise<unknown>;
}

/**
 * What the steps to a state need of a window: one of Playwright with the whole product behind it, or the one of
 * `test/components`, where the server's answers are made up.
 */
export interface OwnerWindow extends Finder {
  locator(selector: string): Part;
  keyboard: { press(keys: string): Promise<unknown> };
  url(): string;
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  route(url: string | RegExp, answer: (call: AnsweredCall) => unknown): Promise<unknown>;
  waitForResponse(isIt: (response: { url(): string }) => boolean): Promise<unknown>;
  /** Runs it in the window. */
  evaluate(work: (text: string) => void, text: string): Promise<unknown>;
  context(): { grantPermissions(permissions: string[]): Promise<unknown> };
}

/** A screen of the owner app, in one of the states that it can be in. */
export interface OwnerShot {
  name: string;
  path: string;
  /** With the name, unique. */
  state: string;
  who: Who;
  /** Calls that wait for ever, or are refused. */
  calls?: RegExp;
  answer?: 'never' | 'refusal';
  /** Its calls hold up the frame around the screens, too. */
  isWithoutFrame?: boolean;
  /** What the owner does, once the screen is there. */
  reach?(page: OwnerWindow): Promise<unknown>;
  /** Beyond what shows that a screen is there. */
  until?(page: OwnerWindow): Promise<unknown>;
  /** A window's own content, like a dialog: the page under it matters less. */
  isInWindow?: boolean;
  /** Where it is only there on one kind of window. */
  width?: 360 | 1280;
}
