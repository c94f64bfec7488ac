import { getAppSettings } from '#contract/app-settings.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { isGoogle } from '#server/accounts/accounts/google-identity.ts';
import type { Services } from '#server/platform/services.ts';
import { OUTBOX_PATH, showsOutbox } from '#server/shell/system/outbox.routes.ts';

export function appSettingsRoutes(api: Api, { config }: Services): void {
  api(getAppSettings, async () => ({
    app_url: config.appUrl,
    site_domain: config.siteDomain,
    docs_url: config.docsUrl,
    feature_request_url: config.featureRequestUrl,
    google_client_id: config.google?.clientId ?? null,
    sign_in_host:
      config.google === null || isGoogle(config.google) ? null : new URL(config.google.issuer).host,
    sends_email: config.smtpUrl !== '',
    outbox_url: showsOutbox(config) ? `${config.appUrl}${OUTBOX_PATH}` : null,
    chat:
      config.chat === null
        ? null
        : { script_url: config.chat.scriptUrl, website_token: config.chat.websiteToken },
  }));
}
