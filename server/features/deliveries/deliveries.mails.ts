import { mailDocument } from '#server/platform/mail-document.ts';

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
