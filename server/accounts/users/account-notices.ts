import { AppError } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import type { UserRow } from './users.sql.ts';
import { type Notice, type NoticeKind, noticeMail } from './account-notices.mails.ts';
import { deviceOf } from './devices.ts';

/** Keeps a program that logs in repeatedly from flooding a mailbox. */
const NEW_DEVICE_MAILS: Limit = { name: 'new-device-mails', points: 10, perSeconds: 86_400 };

const REVIEW_PATH = '/account-settings?section=security';

const PATHS: Partial<Record<NoticeKind, string>> = {
  password_changed: '/reset-password',
  second_factor_guessed: '/reset-password',
};

type Recipient = Pick<UserRow, 'id' | 'username' | 'email' | 'attrs'>;

type About = Partial<Pick<Notice, 'email' | 'device' | 'link' | 'factor' | 'left'>>;

/** @throws MailError */
export async function mailNotice(
  services: Services,
  user: Recipient,
  kind: NoticeKind,
  { to = user.email, ...about }: About & { to?: string } = {},
): Promise<void> {
  const mail = noticeMail({
    kind,
    username: user.username,
    language: user.attrs['language'],
    at: services.clock.now(),
    link: `${services.config.appUrl}${PATHS[kind] ?? REVIEW_PATH}`,
    ...about,
  });
  await services.mailer.send({ to, ...mail });
}

/** The same without waiting: if the mail server is away, what was done stays done. */
export function notifyAccount(
  services: Services,
  user: Recipient,
  kind: NoticeKind,
  about: About & { to?: string } = {},
): void {
  mailNotice(services, user, kind, about).catch((error: unknown) =>
    services.log.error({ err: error, kind }, 'an account notice could not be sent'),
  );
}

export async function notifyOfNewDevice(
  services: Services,
  user: Recipient,
  userAgent: string | undefined,
): Promise<void> {
  try {
    await services.limits.use(NEW_DEVICE_MAILS, user.id);
  } catch (error) {
    const isEnough = error instanceof AppError && error.code === 'rate_limited';
    // The session is already open, so a failure here must not fail the log-in.
    if (!isEnough) services.log.error({ err: error }, 'a new-device notice could not be sent');
    return;
  }
  notifyAccount(services, user, 'new_device', { device: deviceOf(userAgent) });
}
