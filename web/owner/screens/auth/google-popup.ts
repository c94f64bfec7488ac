import { randomId } from '#web/ui/random-id.ts';

const SCRIPT_URL = 'https://accounts.google.com/gsi/client';
/** Spec section 7. */
const SCOPES = 'email profile openid';

interface CodeAnswer {
  code?: string;
  state?: string;
  error?: string;
}

declare global {
  interface Window {
    google?: {
      accounts: {
        oauth2: {
          initCodeClient: (options: {
            client_id: string;
            scope: string;
            ux_mode: 'popup';
            state: string;
            callback: (answer: CodeAnswer) => void;
            error_callback: (error: { type: string }) => void;
          }) => { requestCode: () => void };
        };
      };
    };
  }
}

/** The popup's response belongs to a different sign-in. */
export class StateMismatchError extends Error {}

let loading: Promise<void> | null = null;

/** Loads Google's script once, on first use. */
function loadGoogle(): Promise<void> {
  if (window.google) return Promise.resolve();
  loading ??= new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = SCRIPT_URL;
    script.async = true;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      loading = null;
      script.remove();
      reject(new Error('Failed to load the Google 3P Authorization JavaScript Library.'));
    });
    document.head.append(script);
  });
  return loading;
}

/** Opens Google's popup. Returns an authorization code, or null if the person closed it. */
export async function requestGoogleCode(clientId: string | null | undefined): Promise<string | null> {
  if (!clientId) throw new Error('clientId is required');
  await loadGoogle();
  const { google } = window;
  if (!google) throw new Error('Failed to load the Google 3P Authorization JavaScript Library.');
  const state = randomId();
  return new Promise((resolve, reject) => {
    google.accounts.oauth2
      .initCodeClient({
        client_id: clientId,
        scope: SCOPES,
        ux_mode: 'popup',
        state,
        callback: (answer) => {
          if (answer.code && answer.state !== state) reject(new StateMismatchError());
          else if (answer.code) resolve(answer.code);
          else reject(new Error(answer.error ?? 'Google gave no code.'));
        },
        error_callback: (error) => {
          if (error.type === 'popup_closed') resolve(null);
          else reject(new Error(error.type));
        },
      })
      .requestCode();
  });
}
