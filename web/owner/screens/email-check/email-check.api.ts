import { useMutation } from '@tanstack/react-query';
import { checkEmail } from '#contract/email-checks.ts';
import { call } from '../../api/call.ts';
import { useSite } from '../../site/current-site.tsx';
import { siteParams } from '../../site/site-params.ts';

/** Checks a raw email. Its bytes are sent as they are: every change would break its signature. */
export function useEmailCheck() {
  const site = useSite();
  return useMutation({
    gcTime: 0,
    mutationFn: (email: Blob) => {
      // Browsers that know no email app leave the media type of a file out.
      const file = email.slice(0, email.size, 'message/rfc822');
      return call(checkEmail, { params: siteParams(site), file });
    },
  });
}
