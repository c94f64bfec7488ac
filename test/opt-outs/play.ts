import fc from 'fast-check';
import { expect } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { createApiKey } from '#contract/api-keys.ts';
import { ApiError } from '#contract/client.ts';
import { mintLinks, setCustomerLists } from '#contract/customers.ts';
import { applyImport } from '#contract/imports.ts';
import { createIntegration, updateIntegration } from '#contract/integrations.ts';
import { getCustomerPage, openCustomer, saveLists, undoChoice } from '#contract/public-preferences.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { handleJob as handleInbound } from '#server/sync/inbound/inbound.jobs.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { undo, undoOnce } from '#test/harness/bulk-undos.ts';
import { csv, uploadAndCheck, work } from '#test/harness/imports.ts';
import { documentOf, formOf, type PlainForm, sendForm } from '#test/harness/plain-forms.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { mailchimpWebhook } from '#test/harness/tool-webhooks.ts';
import { buildWorld, type World } from '#test/harness/world.ts';
import { FIELD } from '#web/page/view.ts';
import { type Command, type InTool, PEOPLE, type Row, type Step, story } from './commands.ts';
import { FROM_NOW_ON, type List, LISTS, Wishes, type Word } from './wishes.ts';

const KEYS = 8;
const SECRET = 'a-signing-secret-of-mailchimp';

type Switches = Record<List, boolean>;

/** A business whose two lists are two audiences of Mailchimp. */
export interface Business {
  product: TestProduct;
  world: World;
  /** They outlive the steps of the clock, and each has a limit of calls a minute: stories take turns. */
  keys: string[];
  mailchimp: MailchimpFake;
  webhookUrl: string;
  audiences: Record<List, string>;
  stop: () => Promise<void>;
}

export async function startBusiness(): Promise<Business> {
  const mailchimp = await startMailchimpFake();
  const product = await startTestProduct({ env: { CONNECTOR_MAILCHIMP_URL: mailchimp.url } });
  product.clock.stop();
  const built = await buildWorld(product);
  const { params, owner } = built;
  const scopes = ['read' as const, 'customers' as const, 'write' as const];
  const keys: string[] = [];
  for (let number = 1; number <= KEYS; number += 1) {
    const body = { name: `Script ${number}`, scopes };
    keys.push((await product.call(createApiKey, { params, body }, owner)).key);
  }
  const connected = await product.call(
    createIntegration,
    { params, body: { provider: 'mailchimp', credentials: { ...mailchimp.credentials } } },
    owner,
  );
  const { webhook_url } = await product.call(
    updateIntegration,
    { params: { ...params, id: connected.id }, body: { webhook_secret: SECRET } },
    owner,
  );
  const [weekly, , offers] = mailchimp.addResources('lists', 3);
  if (weekly === undefined || offers === undefined) throw new Error('The fake made no audiences');
  const act = (type: 'list' | 'global_unsubscribe', event: string, more: object) =>
    product.call(
      createAction,
      {
        params,
        body: { type, name: event, integration_id: connected.id, ...more } as never,
      },
      owner,
    );
  for (const [listId, target] of [
    [built.weekly.id, weekly],
    [built.offers.id, offers],
  ] as const) {
    for (const [event, operation] of [
      ['subscribed', 'add'],
      ['unsubscribed', 'remove'],
    ] as const) {
      await act('list', event, { operation, target, trigger: { event, list_ids: [listId] } });
    }
  }
  const trigger = { event: 'global_unsubscribed', list_ids: [] };
  await act('global_unsubscribe', 'left', { operation: 'unsubscribe', target: {}, trigger });
  const audiences = { weekly: weekly.id, offers: offers.id };
  const stop = async () => {
    await product.stop();
    await mailchimp.close();
  };
  return { product, world: built, keys, mailchimp, webhookUrl: webhook_url ?? '', audiences, stop };
}

/** In the end nobody receives what they refused, or lost what they asked for. */
export const nobodyIsWronged = (business: Business) =>
  fc.asyncProperty(story, async (told) => {
    const play = new Play(business);
    await play.play(told);
    expect(await play.complaints()).toEqual([]);
  });

/** A page that somebody opened, as it still stands in their browser. */
interface OpenPage {
  customerId: string;
  openedAt: Date;
  shown: Switches;
  /** Without a choice when it was opened: what it shows of them as on counts as seen by a save. */
  neverChosen: List[];
  by: Client | PlainForm;
  /** What was sent from it. */
  sent: string[];
  /** The last save, what takes it back, and what was shown before. */
  saved: { by: string; receipt: string; before: Switches } | null;
}

/** Of the specification: it sends all lists as they stand. */
interface Client {
  session: string;
  /** It goes on with what each answer shows, not with what it was told when it opened. */
  readsAnswers: boolean;
}

interface Person {
  /** As the business knows it. */
  email: string;
  /** As the tool knows it. */
  emailThere: string;
  hasMoved: boolean;
  wishes: Wishes;
  pages: OpenPage[];
}

interface Imported {
  id: string;
  isUndone: boolean;
}

/** What the product holds of somebody. */
interface Kept {
  id: string;
  hasLeft: boolean;
  subscriptions: Partial<Switches>;
}

let plays = 0;

/** One story of a few people, told to the product, to the tool and to the model. */
export class Play {
  readonly #business: Business;
  readonly people: Person[];
  readonly #imports: Imported[] = [];
  #reports: { due: number; send: () => Promise<unknown> }[] = [];
  #saves = 0;

  constructor(business: Business) {
    plays += 1;
    const { world, keys } = business;
    const owner = { ...world.owner, token: keys[plays % keys.length] ?? '' };
    this.#business = { ...business, world: { ...world, owner } };
    this.people = Array.from({ length: PEOPLE }, (_, index) => {
      const email = `person-${plays}-${index}@example.com`;
      return { email, emailThere: email, hasMoved: false, wishes: new Wishes(), pages: [] };
    });
  }

  async play(steps: readonly Step[]): Promise<void> {
    // They run by real time, which these people don't take.
    await this.#business.product.testDatabase.owner.query('delete from rate_limits');
    for (const { after, command } of steps) {
      this.#business.product.clock.advance({ seconds: after });
      await this.#perform(command);
      await this.#report();
    }
    await this.#settle();
  }

  /** Everybody who gets what they refused, or lost what they asked for, here or in the tool. */
  async complaints(): Promise<string[]> {
    const found: string[] = [];
    for (const { email, emailThere, hasMoved, wishes } of this.people) {
      const kept = await this.#find(email);
      for (const list of LISTS) {
        const isOnHere = kept !== null && this.#receives(kept, list);
        const isOnThere = this.#member(emailThere, list)?.status === 'subscribed';
        const say = (what: string) => found.push(`${email} ${what} ${list}`);
        if (wishes.refuses(list) && isOnHere) say('refused and still receives');
        if (wishes.wants(list) && !isOnHere) say('asked for and does not receive');
        // We don't write about somebody who is no customer, and what goes to an address from before a move doesn't follow yet.
        if (kept === null || hasMoved) continue;
        if (wishes.refuses(list) && isOnThere) say('refused and in the tool still receives');
        if (wishes.keepsThere(list) && !isOnThere) say('never refused and in the tool no longer receives');
      }
    }
    return found;
  }

  async #perform(command: Command): Promise<void> {
    switch (command.what) {
      case 'open a page':
        return this.#open(this.#person(command.who), command.as);
      case 'save':
        return this.#save(this.#person(command.who), command.page, command.touched);
      case 'save unsubscribe from all':
        return this.#save(this.#person(command.who), command.page, 'everything');
      case 'undo the save':
        return this.#undoSave(this.#person(command.who), command.page);
      case 'one-click':
        return this.#oneClick(this.#person(command.who), command.about);
      case 'leave in the tool':
      case 'complain in the tool':
      case 'join in the tool':
        return this.#actInTool(this.#person(command.who), command);
      case 'move in the tool':
        return this.#moveInTool(this.#person(command.who), command.reported);
      case 'edit by the business':
        return this.#edit(this.#person(command.who), command);
      case 'import':
        return this.#import(command.rows);
      case 'undo an import':
        return this.#undoImport(command.which);
      case 'deliver':
        return this.#deliver();
      case 'the tool fails':
        return this.#business.mailchimp.rule(() => (command.fails ? { status: 503, body: '{}' } : null));
    }
  }

  #person(who: number): Person {
    const person = this.people[who];
    if (person === undefined) throw new Error(`There is no person ${who}`);
    return person;
  }

  get #now(): Date {
    return this.#business.product.clock.now();
  }

  async #open(person: Person, as: 'first' | 'latest' | 'form'): Promise<void> {
    const { product, world } = this.#business;
    const { custom_path } = world.page;
    const body = { email: person.email, custom_path };
    const { id: session } = await product.call(openCustomer, { body }, world.visitor);
    if (as === 'form') {
      const { challenge } = await this.#linksOf(await this.#found(person));
      await this.#openForm(
        person,
        await documentOf(product, world, `/${custom_path}?challenge=${challenge}`),
      );
      return;
    }
    const params = { customerId: session, custom_path };
    const { lists } = await product.call(getCustomerPage, { params }, world.visitor);
    const isOn = (list: List) => {
      const found = lists.find(({ id }) => id === world[list].id);
      return found?.subscribed ?? found?.subscription_default_state ?? false;
    };
    const shown = { weekly: isOn('weekly'), offers: isOn('offers') };
    await this.#keepOpen(person, shown, { session, readsAnswers: as === 'latest' });
  }

  async #openForm(person: Person, html: string): Promise<void> {
    const form = formOf(html, 'save');
    if (form === null) throw new Error('The page has no switches');
    const on = new Set(form.fields.flatMap(([name, value]) => (name === FIELD.on ? [value] : [])));
    const isOn = (list: List) => on.has(this.#business.world[list].id);
    await this.#keepOpen(person, { weekly: isOn('weekly'), offers: isOn('offers') }, form);
  }

  async #keepOpen(person: Person, shown: Switches, by: OpenPage['by']): Promise<void> {
    const { id: customerId, hasLeft, subscriptions } = await this.#found(person);
    const neverChosen = hasLeft ? [] : LISTS.filter((list) => subscriptions[list] === undefined);
    person.pages.unshift({ customerId, openedAt: this.#now, shown, neverChosen, by, sent: [], saved: null });
  }

  async #save(person: Person, which: number, touched: readonly List[] | 'everything'): Promise<void> {
    const page = person.pages[which];
    // The page of a customer who was deleted saves nothing.
    if (page === undefined || (await this.#find(person.email))?.id !== page.customerId) return;
    const leavesAll = touched === 'everything';
    // Whoever has left everything is not offered it again.
    if (leavesAll && 'fields' in page.by && !page.by.offersLeaveAll) return;
    const next = { ...page.shown };
    for (const list of LISTS) {
      if (leavesAll) next[list] = false;
      else if (touched.includes(list)) next[list] = !next[list];
    }
    this.#saves += 1;
    const by = `save ${this.#saves}`;
    const at = this.#now;
    const sent = JSON.stringify(next);
    const joins = this.#isUnclear(page, sent) ? 'perhaps on' : 'on';
    page.sent.push(sent);
    if (leavesAll) person.wishes.say({ about: 'everything', says: 'off', at, by });
    for (const about of leavesAll ? [] : LISTS) {
      if (touched.includes(about)) person.wishes.say({ about, says: next[about] ? joins : 'off', at, by });
      else if (!next[about]) person.wishes.say({ about, says: 'perhaps off', at, by });
      else if (page.neverChosen.includes(about))
        person.wishes.say({ about, says: 'perhaps on', at: page.openedAt, by });
    }
    if ('fields' in page.by) await this.#sendForm(person, page.by, next, leavesAll);
    else await this.#sendLists(page, page.by, { next, leavesAll, by });
  }

  /**
   * Without a script, nothing tells a form that is sent twice from somebody who went back to join once more; and who reads no
   * answer doesn't say what their next save has moved.
   */
  #isUnclear({ by, sent: before }: OpenPage, sent: string): boolean {
    return 'fields' in by ? before.includes(sent) : !by.readsAnswers && before.length > 0;
  }

  async #sendLists(
    page: OpenPage,
    client: Client,
    { next, leavesAll, by }: { next: Switches; leavesAll: boolean; by: string },
  ): Promise<void> {
    const { product, world } = this.#business;
    const body = LISTS.map((list) => ({ notification_list_id: world[list].id, subscribed: next[list] }));
    const headers = leavesAll ? ({ 'x-unsubscribe-all': '1' } as const) : {};
    const call = { params: { customerId: client.session }, headers, body };
    const { customer, lists, receipt } = await product.call(saveLists, call, world.visitor);
    const saved = receipt === null ? null : { by, receipt, before: page.shown };
    if (!client.readsAnswers) {
      Object.assign(page, { shown: next, saved });
      return;
    }
    const now = LISTS.map((list) => {
      const found = lists.find((one) => one.notification_list_id === world[list].id);
      return [list, found?.subscribed ?? world[list].subscription_default_state] as const;
    });
    const latest = { shown: Object.fromEntries(now), by: { ...client, session: customer.id } };
    Object.assign(page, { ...latest, saved, openedAt: this.#now, neverChosen: [] });
  }

  /** The browser then shows the answer, and the form as it was only when one goes back. */
  async #sendForm(person: Person, form: PlainForm, next: Switches, leavesAll: boolean): Promise<void> {
    const { product, world } = this.#business;
    const on = LISTS.filter((list) => next[list]).map((list) => [FIELD.on, world[list].id] as const);
    const rest = form.fields.filter(([name]) => name !== FIELD.on);
    const button = leavesAll ? [[FIELD.instead, 'unsubscribe_all'] as const] : [];
    const sent = { ...form, fields: [...rest, ...on, ...button] };
    await this.#openForm(person, await sendForm(product, world, sent));
  }

  async #undoSave(person: Person, which: number): Promise<void> {
    const { product, world } = this.#business;
    const page = person.pages[which];
    if (page === undefined || page.saved === null || 'fields' in page.by) return;
    const { by, receipt, before } = page.saved;
    const call = { params: { customerId: page.by.session }, body: { receipt } };
    try {
      await product.call(undoChoice, call, world.visitor);
    } catch (error) {
      // Something was decided since, or it is too late.
      if (error instanceof ApiError && error.status < 500) return;
      throw error;
    }
    person.wishes.withdraw(by);
    for (const about of LISTS) {
      if (before[about] && !page.shown[about])
        person.wishes.say({ about, says: 'perhaps on', at: this.#now });
    }
    Object.assign(page, { shown: before, saved: null });
  }

  #linksOf({ id }: Kept, body: { list_id?: string } = {}) {
    const { product, world } = this.#business;
    return product.call(mintLinks, { params: { ...world.params, id }, body }, world.owner);
  }

  async #oneClick(person: Person, about: List | 'everything'): Promise<void> {
    const { product, world } = this.#business;
    const kept = await this.#find(person.email);
    if (kept === null) return;
    const links = await this.#linksOf(kept, about === 'everything' ? {} : { list_id: world[about].id });
    const { pathname, host } = new URL(links.one_click_url);
    const { statusCode } = await product.http.inject({
      method: 'POST',
      url: pathname,
      headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    });
    if (statusCode !== 200) throw new Error(`A one-click answered ${statusCode}`);
    person.wishes.say({ about, says: 'off', at: this.#now });
  }

  async #actInTool(person: Person, { what, list, reported }: Extract<Command, InTool>): Promise<void> {
    const { mailchimp, audiences } = this.#business;
    const joins = what === 'join in the tool';
    const at = this.#now;
    const member = this.#member(person.emailThere, list);
    const isOn = member === null ? !joins : member.status === 'subscribed';
    if (isOn === joins) return;
    const there = { status: joins ? 'subscribed' : 'unsubscribed', leftByThemselves: !joins };
    if (member === null) mailchimp.addMember(audiences[list], person.emailThere, there);
    else Object.assign(member, there);
    if (joins) person.wishes.say({ about: list, says: 'on there', at });
    else if (what === 'leave in the tool') person.wishes.say({ about: list, says: 'off', at });
    else {
      // It stops everything, however late it is heard.
      person.wishes.say({ about: 'everything', says: 'off', at });
      person.wishes.say({ about: 'everything', says: 'perhaps off', at: FROM_NOW_ON });
    }
    const data = {
      id: person.emailThere,
      list_id: audiences[list],
      email: person.emailThere,
      ...(joins ? {} : { action: 'unsub', reason: what === 'complain in the tool' ? 'abuse' : 'manual' }),
    };
    for (const due of reported) {
      const send = () => this.#hear(joins ? 'subscribe' : 'unsubscribe', data, at);
      this.#reports.push({ due, send });
    }
  }

  /** Their address changes in the tool, which reports it once, for all audiences. */
  async #moveInTool(person: Person, reported: readonly number[]): Promise<void> {
    const { mailchimp, audiences } = this.#business;
    const [from, to] = [person.emailThere, `moved-${person.emailThere}`];
    const members = LISTS.flatMap((list) => {
      const member = this.#member(from, list);
      return member === null ? [] : [[audiences[list], member] as const];
    });
    const [audience = ''] = members[0] ?? [];
    // One move at a time, and of people whom the business knows.
    if (members.length === 0 || person.email !== from || (await this.#find(from)) === null) return;
    for (const [id, member] of members) {
      mailchimp.removeMember(id, from);
      mailchimp.addMember(id, to, { ...member, email: to });
    }
    Object.assign(person, { emailThere: to, hasMoved: true });
    const at = this.#now;
    for (const due of reported) {
      const send = async () => {
        await this.#hear('upemail', { list_id: audience, new_id: to, old_email: from, new_email: to }, at);
        if ((await this.#find(from)) === null) person.email = to;
      };
      this.#reports.push({ due, send });
    }
  }

  async #hear(
    type: 'subscribe' | 'unsubscribe' | 'upemail',
    data: Record<string, string>,
    at: Date,
  ): Promise<void> {
    const { product, world, webhookUrl } = this.#business;
    const { headers, body } = mailchimpWebhook(type, data, { at, sentAt: this.#now, secret: SECRET });
    const { status } = await fetch(webhookUrl, { method: 'POST', headers, body });
    if (status >= 300) throw new Error(`A webhook was answered with ${status}`);
    const { rows } = await product.testDatabase.owner.query<{ id: string }>(
      `select id from inbound_requests where site_id = $1 and state = 'waiting' order by id`,
      [world.site.id],
    );
    for (const { id } of rows)
      await handleInbound(product.services, { site_id: world.site.id, id, round: 0 });
  }

  /** The tool tells what is due after this command. */
  async #report(isLast = false): Promise<void> {
    const due = this.#reports.filter((one) => isLast || one.due <= 0);
    this.#reports = this.#reports
      .filter((one) => !due.includes(one))
      .map((one) => ({ ...one, due: one.due - 1 }));
    for (const { send } of due) await send();
  }

  async #edit(person: Person, { list, on }: Extract<Command, { on: boolean }>): Promise<void> {
    const { product, world } = this.#business;
    const kept = await this.#find(person.email);
    if (kept === null) return;
    const off = await this.#offsOf(person);
    const body = [{ notification_list_id: world[list].id, subscribed: on }];
    await product.call(setCustomerLists, { params: { ...world.params, id: kept.id }, body }, world.owner);
    const says = on ? 'perhaps on' : off(list);
    person.wishes.say({ about: list, says, at: this.#now });
  }

  async #import(rows: readonly Row[]): Promise<void> {
    const { product, world } = this.#business;
    const before = (ago: number | null) =>
      ago === null ? null : new Date(Math.floor(this.#now.getTime() / 1000 - ago) * 1000);
    const shown = (at: Date | null) => at?.toISOString().slice(0, 19).replace('T', ' ') ?? '';
    const lines = rows.map(({ who, cells, signedUpAgo, leftAgo }) => {
      const times = [shown(before(signedUpAgo)), shown(before(leftAgo))];
      return [this.#person(who).email, cells.weekly, cells.offers, ...times].join(',');
    });
    const header = 'email,Weekly news,Offers,subscribed_at,unsubscribed_at';
    const offs = new Map(
      await Promise.all(rows.map(async ({ who }) => [who, await this.#offsOf(this.#person(who))] as const)),
    );
    const { id } = await uploadAndCheck(product, world, csv(header, ...lines));
    await product.call(applyImport, { params: { ...world.params, id } }, world.owner);
    const { counts } = await work(product, world, id);
    if (counts.added + counts.changed + counts.revived > 0) this.#imports.push({ id, isUndone: false });
    for (const { who, cells, signedUpAgo, leftAgo } of rows) {
      const { wishes } = this.#person(who);
      const off = (about: Word['about']) => offs.get(who)?.(about) ?? 'off';
      const [signedUp, left] = [before(signedUpAgo), before(leftAgo)];
      for (const about of LISTS) {
        if (cells[about] === 'no') wishes.say({ about, says: off(about), at: this.#now, by: id });
        if (cells[about] === 'yes' && signedUp !== null)
          wishes.say({ about, says: 'perhaps on', at: signedUp, by: id });
      }
      const hasReturned = signedUp !== null && left !== null && signedUp > left;
      if (left === null || hasReturned) continue;
      // Beside a list that was left, it is the time of that.
      const isAboutAll = !LISTS.some((list) => cells[list] === 'no');
      if (isAboutAll) wishes.say({ about: 'everything', says: off('everything'), at: left, by: id });
      // It counts whenever they left, whatever they chose since.
      wishes.say({ about: 'everything', says: 'perhaps off', at: this.#now, by: id });
    }
  }

  async #undoImport(which: number): Promise<void> {
    const { product, world } = this.#business;
    const one = this.#imports.filter(({ isUndone }) => !isUndone)[which];
    if (one === undefined) return;
    await undo(product, world, one.id);
    one.isUndone = true;
    for (const { wishes } of this.people) wishes.withdraw(one.id);
  }

  /** Attempts what is due now. */
  async #deliver(): Promise<void> {
    const { product, world } = this.#business;
    const { rows } = await product.testDatabase.owner.query<{ id: string; round: number }>(
      `select id, attempt_count as round from deliveries
       where site_id = $1 and next_attempt_at <= $2 order by next_attempt_at, id`,
      [world.site.id, this.#now],
    );
    for (const row of rows) await deliverNow(product.services, { ...row, site_id: world.site.id });
  }

  /** All is reported, the tool is well, and everything that waits comes to rest. */
  async #settle(): Promise<void> {
    const { product, world, mailchimp } = this.#business;
    mailchimp.rule(() => null);
    await this.#report(true);
    for (let rounds = 0; rounds < 100; rounds += 1) {
      await this.#deliver();
      for (const { id, isUndone } of this.#imports) if (isUndone) await undoOnce(product, world, id);
      const { rows } = await product.testDatabase.owner.query<{ at: Date | null; deleting: string }>(
        `select min(next_attempt_at) as at, (select count(*) from bulk_undos u
           where u.site_id = $1 and u.status = 'deleting') as deleting from deliveries where site_id = $1`,
        [world.site.id],
      );
      const [waiting] = rows;
      if (waiting === undefined) throw new Error('An aggregate has one row');
      const { at, deleting } = waiting;
      if (at === null && deleting === '0') return;
      const ms = at === null ? 0 : at.getTime() - this.#now.getTime();
      if (ms > 0) product.clock.advance({ seconds: Math.ceil(ms / 1000) });
    }
    throw new Error('The deliveries do not come to rest');
  }

  #member(email: string, list: List) {
    const { mailchimp, audiences } = this.#business;
    return mailchimp.member(audiences[list], email);
  }

  /** The business can look what is off already: only what it adds counts. */
  async #offsOf({ email, wishes }: Person): Promise<(about: Word['about']) => 'off' | 'perhaps off'> {
    const kept = await this.#find(email);
    const isOff = (list: List) =>
      kept === null ? wishes.refuses(list) : kept.hasLeft || kept.subscriptions[list] === false;
    const isAllOff = kept === null ? LISTS.every((list) => wishes.refuses(list)) : kept.hasLeft;
    return (about) => ((about === 'everything' ? isAllOff : isOff(about)) ? 'perhaps off' : 'off');
  }

  async #found({ email }: Person): Promise<Kept> {
    const kept = await this.#find(email);
    if (kept === null) throw new Error(`${email} is no customer`);
    return kept;
  }

  async #find(email: string): Promise<Kept | null> {
    const { product, world } = this.#business;
    const { rows } = await product.testDatabase.owner.query<{
      id: string;
      left: boolean;
      subscriptions: Record<string, boolean> | null;
    }>(
      `select id, global_unsubscribe as left, (select jsonb_object_agg(list_id, subscribed) from subscriptions s
         where s.site_id = c.site_id and s.customer_id = c.id) as subscriptions
       from customers c where site_id = $1 and email = $2`,
      [world.site.id, email],
    );
    const [row] = rows;
    if (row === undefined) return null;
    const chosen = LISTS.flatMap((list) => {
      const subscribed = row.subscriptions?.[world[list].id];
      return subscribed === undefined ? [] : [[list, subscribed] as const];
    });
    return { id: row.id, hasLeft: row.left, subscriptions: Object.fromEntries(chosen) };
  }

  /** What was never chosen counts as its default. */
  #receives({ hasLeft, subscriptions }: Kept, list: List): boolean {
    return !hasLeft && (subscriptions[list] ?? this.#business.world[list].subscription_default_state);
  }
}
