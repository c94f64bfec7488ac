import { mailDocument } from '#server/platform/mail-document.ts';

/** A mail to all owners of a site. */
export type OwnersMail = ReturnType<typeof switchedOffMail>;

/** Tells an owner that an action no longer runs. */
export function switchedOffMail(input: { action: string; reason: string; link: string }) {
  return {
    subject: `"${input.action}" was switched off`,
    ...mailDocument({
      language: 'en',
      lines: [
        `The action "${input.action}" was switched off.`,
        input.reason,
        'Choices are still recorded. Mend the receiver, switch the action on again, then replay what failed from the delivery log.',
      ],
      button: { text: 'Open actions', link: input.link },
      footnote: '',
    }),
  };
}

/** Tells an owner that a tool no longer takes anything from here. */
export function toolTroubleMail(input: { integration: string; reason: string; link: string }) {
  return {
    subject: `"${input.integration}" needs you`,
    ...mailDocument({
      language: 'en',
      lines: [
        `Choices do not reach "${input.integration}" at the moment.`,
        input.reason,
        'They are kept and wait. Connect it anew under Integrations, and what waits is delivered at once.',
      ],
      button: { text: 'Open integrations', link: input.link },
      footnote: '',
    }),
  };
}
