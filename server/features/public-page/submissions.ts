import { email as emailField, type Language, SIMPLE_EMAIL } from '#contract/fields.ts';
import { type Capability, requireCapability } from '#server/features/customers/capability.ts';
import {
  openCustomer,
  saveLists,
  updatePublicCustomer,
  type Visit,
} from '#server/features/customers/public-customers.ts';
import type { ServedPage } from '#server/features/preference-pages/public-pages.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { emailErrorKey } from '#web/page/email.ts';
import type { Submission } from '#web/page/submission.ts';
import { isShownOn, type PageNotice, type PageView, type ViewCustomer } from '#web/page/view.ts';
import { loadCustomer, pageView } from './page-views.ts';

interface Sent {
  services: Services;
  visit: Visit;
  served: ServedPage;
  language: Language;
}

type Saving = Extract<Submission, { customer: string }>;

/** What a plain form of the page answers: the next page, with what became of it. */
export async function answerSubmission(sent: Sent, submission: Submission): Promise<PageView | null> {
  switch (submission.intent) {
    case 'find':
      return find(sent, submission.email);
    case 'leave':
    case 'undo':
      return null;
    default:
      return saveOf(sent, submission);
  }
}

async function find({ services, visit, served, language }: Sent, typed: string): Promise<PageView> {
  const email = emailField.safeParse(typed);
  if (!SIMPLE_EMAIL.test(typed) || !email.success) {
    const notice: PageNotice = {
      kind: 'error',
      key: 'pref_template.error_invalid',
      field: 'email',
      value: typed,
    };
    return pageView(served, language, { step: 'form', notice });
  }
  const opened = await openCustomer(services, visit, { email: email.data, custom_path: served.customPath });
  const capability = requireCapability(services, visit.siteId, opened.id);
  const customer = await loadCustomer(services, visit.siteId, served, capability);
  return pageView(served, language, { step: 'preferences', customer });
}

async function saveOf(sent: Sent, submission: Saving): Promise<PageView> {
  const { services, visit, served, language } = sent;
  try {
    const capability = requireCapability(services, visit.siteId, submission.customer);
    const before = await loadCustomer(services, visit.siteId, served, capability);
    const notice = await carryOut(sent, capability, before, submission);
    const customer = await loadCustomer(services, visit.siteId, served, capability);
    return pageView(served, language, { step: 'preferences', customer, notice });
  } catch (error) {
    const isExpired = error instanceof AppError && error.code === 'not_found';
    if (!isExpired || served.page.attrs.enhanced_security) throw error;
    const notice: PageNotice = { kind: 'error', key: 'save_error.expired', field: null, value: '' };
    return pageView(served, language, { step: 'form', notice });
  }
}

async function carryOut(
  { services, visit, served }: Sent,
  capability: Capability,
  before: ViewCustomer,
  submission: Saving,
): Promise<PageNotice> {
  const options = { saveId: submission.saveId, source: 'page' as const };
  switch (submission.intent) {
    case 'save':
    case 'unsubscribe_all':
      await saveLists(services, visit, capability, submission.lists, options);
      return { kind: 'saved' };
    case 'change_email':
      return changeEmail(services, visit, capability, before, submission);
    case 'state': {
      const { state, listId } = submission;
      const list = served.page.lists.find(({ id }) => id === listId) ?? null;
      const wasOn = list === null ? !before.global_unsubscribe : isShownOn(list, before);
      const isOn = state === 'subscribe';
      if (list === null) {
        await updatePublicCustomer(services, visit, capability, { global_unsubscribe: !isOn }, options);
      } else {
        const lists = [{ notification_list_id: list.id, subscribed: isOn }];
        await saveLists(services, visit, capability, lists, options);
      }
      return { kind: 'state_saved', state, list_id: list?.id ?? null, undo: wasOn !== isOn };
    }
  }
}

async function changeEmail(
  services: Services,
  visit: Visit,
  capability: Capability,
  before: ViewCustomer,
  { newEmail, saveId }: Extract<Saving, { intent: 'change_email' }>,
): Promise<PageNotice> {
  const wrong = (key: Extract<PageNotice, { kind: 'error' }>['key']): PageNotice => ({
    kind: 'error',
    key,
    field: 'new_email',
    value: newEmail,
  });
  const key = emailErrorKey(newEmail, before.email);
  if (key !== null) return wrong(key);
  const email = emailField.safeParse(newEmail);
  if (!email.success) return wrong('modal_mail.error_invalid');
  try {
    await updatePublicCustomer(
      services,
      visit,
      capability,
      { email: email.data },
      { saveId, source: 'page' },
    );
    return { kind: 'email_updated' };
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return wrong('modal_mail.error_exists');
    throw error;
  }
}
