import type { Page } from 'playwright-core';
import type { Who } from './owner-world.ts';

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
  reach?(page: Page): Promise<unknown>;
  /** Beyond what shows that a screen is there. */
  until?(page: Page): Promise<unknown>;
  /** A window's own content, like a dialog: the page under it matters less. */
  isInWindow?: boolean;
  /** Where it is only there on one kind of window. */
  width?: 360 | 1280;
}
