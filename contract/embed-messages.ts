/** Marks the frames that the embedding script looks after. */
export const EMBED_ATTRIBUTE = 'data-preference-page';

/** Where every site serves the script that fits a frame's height to its page. */
export const EMBED_SCRIPT_PATH = '/embed.js';

/** What the script on the surrounding page and the page in the frame tell each other. */
export const EMBED_MESSAGE = {
  hello: 'preference-page:hello',
  height: 'preference-page:height',
  /** Something between `top` and `bottom` wants to be seen. */
  show: 'preference-page:show',
} as const;
