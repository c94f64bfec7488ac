import { AppError } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import type { UserRow } from './users.sql.ts';
import { type Notice, type NoticeKind, noticeMail } from './account-notices.mails.ts';
import { deviceOf } from './devices.ts';

/** A program that logs in again and again must not fill a mailbox. */
const NEW_DEVICE_MAILS: Limit = { name: 'new-device-mails', points: 10, perSeconds: 86_400 };

const REVIEW_PATH = '/account-settings?section=security';

const PATHS: Partial<Record<NoticeKind, string>> = {
  password_changed: '/reset-password',
  second_factor_guessed: '/reset-password',
};

type Told = Pick<UserRow, 'id' | 'username' | 'email' | 'attrs'>;

type About = Partial<Pick<Notice, 'email' | 'device' | 'link' | 'factor' | 'left'>>;

/** @throws MailError */
export async function mailNotice(
  services: Services,
  user: Told,
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

/** The same after something was done, which a mail server that is away does not undo. */
export function notifyAccount(
  services: Services,
  user: Told,
  kind: NoticeKind,
  about: About & { to?: string } = {},
): void {
  mailNotice(services, user, kind, about).catch((error: unknown) =>
    services.log.error({ err: error, kind }, 'a notice to an account could not be sent'),
  );
}

export async function notifyOfNewDevice(
  services: Services,
  user: Told,
  userAgent: string | undefined,
): Promise<void> {
  try {
    await services.limits.use(NEW_DEVICE_MAILS, user.id);
  } catch (error) {
    const isEnough = error instanceof AppError && error.code === 'rate_limited';
    // The session is open by now: whatever happens here, the answer says so.
    if (!isEnough) services.log.error({ err: error }, 'a new device could not be told');
    return;
  }
  notifyAccount(services, user, 'new_device', { device: deviceOf(userAgent) });
}
