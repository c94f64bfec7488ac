import type { AppSettings } from '#contract/app-settings.ts';

/** The part of a Chatwoot-style widget that we use. */
interface ChatWidget {
  setUser: (id: string, user: { email: string; name: string }) => void;
  toggleBubbleVisibility: (visibility: 'show' | 'hide') => void;
  reset: () => void;
}

declare global {
  interface Window {
    chatwootSettings?: { hideMessageBubble: boolean; locale: string };
    chatwootSDK?: { run: (options: { websiteToken: string; baseUrl: string }) => void };
    $chatwoot?: ChatWidget;
  }
}

export interface ChatPerson {
  id: string;
  email: string;
  username: string;
}

let isLoading = false;
let person: ChatPerson | null = null;

/** Loads the widget once, shows it, and says who is talking. */
export function showChat(settings: NonNullable<AppSettings['chat']>, who: ChatPerson, locale: string): void {
  person = who;
  if (window.$chatwoot) identify();
  if (isLoading) return;
  isLoading = true;
  window.chatwootSettings = { hideMessageBubble: false, locale };
  window.addEventListener('chatwoot:ready', identify);
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

/** Hides the widget and forgets the person (logout). */
export function resetChat(): void {
  person = null;
  window.$chatwoot?.reset();
  window.$chatwoot?.toggleBubbleVisibility('hide');
}

function identify(): void {
  const chat = window.$chatwoot;
  if (!chat) return;
  if (!person) {
    chat.toggleBubbleVisibility('hide');
    return;
  }
  chat.setUser(person.id, { email: person.email, name: person.username });
  chat.toggleBubbleVisibility('show');
}
