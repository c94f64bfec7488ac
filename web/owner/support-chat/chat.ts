import type { AppSettings } from '#contract/app-settings.ts';

/** The part of a Chatwoot-style widget that we use. */
interface ChatWidget {
  setUser: (id: string, user: { email: string; name: string }) => void;
  toggleBubbleVisibility: (visibility: 'show' | 'hide') => void;
  reset: () => void;
}

export interface ChatPerson {
  id: string;
  email: string;
  username: string;
}

/** What any widget can read (docs/settings.md): here, and with each `sayso:chat` event. */
interface ChatState {
  websiteToken: string;
  locale: string;
  /** null: nobody is logged in, and the chat hides. */
  person: Pick<ChatPerson, 'id' | 'email' | 'username'> | null;
}

declare global {
  interface Window {
    saysoChat?: ChatState;
    chatwootSettings?: { hideMessageBubble: boolean; locale: string };
    chatwootSDK?: { run: (options: { websiteToken: string; baseUrl: string }) => void };
    $chatwoot?: ChatWidget;
  }
}

type ChatSettings = NonNullable<AppSettings['chat']>;

let isLoading = false;

/** Loads the configured widget once, shows it, and identifies the person. */
export function showChat(settings: ChatSettings, who: ChatPerson, locale: string): void {
  const { id, email, username } = who;
  tell({ websiteToken: settings.website_token, locale, person: { id, email, username } });
  if (isLoading) return;
  isLoading = true;
  load(settings, locale);
}

/** Hides the widget and resets its person (log-out). */
export function resetChat(): void {
  if (!window.saysoChat) return;
  window.$chatwoot?.reset();
  tell({ ...window.saysoChat, person: null });
}

function load(settings: ChatSettings, locale: string): void {
  window.chatwootSettings = { hideMessageBubble: false, locale };
  window.addEventListener('chatwoot:ready', tellChatwoot);
  const script = document.createElement('script');
  script.src = settings.script_url;
  script.async = true;
  script.addEventListener('load', () => {
    window.chatwootSDK?.run({
      websiteToken: settings.website_token,
      baseUrl: new URL(settings.script_url, location.href).origin,
    });
  });
  script.addEventListener('error', () => {
    isLoading = false;
    script.remove();
  });
  document.head.append(script);
}

function tell(state: ChatState): void {
  window.saysoChat = state;
  window.dispatchEvent(new CustomEvent('sayso:chat', { detail: state }));
  tellChatwoot();
}

function tellChatwoot(): void {
  const chat = window.$chatwoot;
  if (!chat) return;
  const person = window.saysoChat?.person;
  if (person) chat.setUser(person.id, { email: person.email, name: person.username });
  chat.toggleBubbleVisibility(person ? 'show' : 'hide');
}
