import type { ParseArgsConfig } from 'node:util';
import type { BulkChange } from '#contract/bulk-changes.ts';
import type { ActionPlan } from '#contract/choice-previews.ts';
import type { ListedCustomer } from '#contract/customers.ts';
import type { Delivery } from '#contract/deliveries.ts';
import type { Sayso, SaysoOptions } from '../../sdk/src/index.ts';
import { type Facts, factsOf } from './facts.ts';
import { codeOf, contentOfChoice, contentOfUndo, OutdatedPreview, requirePreviewed } from './confirmation.ts';
import {
  choiceOf,
  previewOf,
  record,
  requireCustomer,
  requireList,
  unsubscribeOf,
  type Wanted,
  wantedOf,
} from './preview.ts';
import { reasonsOf } from './reasons.ts';
import { readingOnly } from './reading-only.ts';
import { isUndone, previewedUndo } from './undo.ts';
import {
  NO_CALLS_WORDS,
  printable,
  shellWord,
  SOURCE_WORDS,
  STATUS_WORDS,
  tableOf,
  timeOf,
} from './words.ts';

export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

interface Call {
  sayso: Sayso;
  words: string[];
  values: Values;
  asJson: boolean;
  out: (line: string) => void;
  err: (line: string) => void;
  json: (value: unknown) => void;
}

export interface Command {
  /** What it has to be given, in order. */
  args?: string[];
  /** Its own options, as help shows them. */
  flags?: string;
  summary: string;
  details?: string;
  options?: ParseArgsConfig['options'];
  /** What its calls go through. */
  fetch?: SaysoOptions['fetch'];
  /** @returns the exit code, if not 0 */
  run(call: Call): Promise<number | void>;
}

const MOST_DELIVERIES = 100;

const textOf = (value: Values[string]): string | undefined => (typeof value === 'string' ? value : undefined);

function printTable({ out }: Call, columns: string[], rows: (string | number | null)[][]): void {
  if (rows.length === 0) return out('None.');
  for (const line of tableOf(columns, rows)) out(line);
}

async function findCommand(call: Call): Promise<number | void> {
  const [email = ''] = call.words;
  const { results, next } = await call.sayso.listCustomers({ query: { search: email, limit: 100 } });
  if (next !== null) call.err('These are the first 100. There are more.');
  if (call.asJson) call.json(results);
  else if (results.length > 0) {
    const rows = results.map((one) => [one.email, stateOf(one), one.receives.length, timeOf(one.created_at)]);
    printTable(call, ['EMAIL', 'STATE', 'LISTS', 'ADDED (UTC)'], rows);
  }
  if (results.length > 0) return;
  call.err(`No customer has an email that starts with ${email}. Check the spelling.`);
  return 1;
}

function stateOf(customer: {
  global_unsubscribe: boolean;
  paused_until: string | null;
  wrong_recipient_at: string | null;
}): string {
  if (customer.paused_until !== null) return `paused until ${customer.paused_until.slice(0, 10)}`;
  if (customer.wrong_recipient_at !== null) return 'wrong recipient';
  return customer.global_unsubscribe ? 'unsubscribed from all' : 'active';
}

const heading = ({ out }: Call, title: string) => {
  out('');
  out(title);
};

function printDeliveries(call: Call, deliveries: readonly Delivery[]): void {
  const rows = deliveries.map((one) => [
    timeOf(one.created_at),
    one.customer_email ?? 'erased',
    one.event,
    one.action_name,
    one.tool_name ?? one.action_type,
    `${one.status === 'arrived' ? 'delivered' : one.status} (${one.outcome})`,
    one.last_error ?? '',
  ]);
  printTable(call, ['TIME (UTC)', 'EMAIL', 'EVENT', 'ACTION', 'RECEIVER', 'STATUS', 'ERROR'], rows);
}

function printEvidence(call: Call, evidence: Facts['evidence']): void {
  const rows = evidence.map((one) => [
    timeOf(one.occurred_at),
    one.events.join(', '),
    one.lists.map(({ name, subscribed }) => `${subscribed ? '+' : '-'}${name}`).join(', '),
    SOURCE_WORDS[one.source],
    one.id,
  ]);
  printTable(call, ['TIME (UTC)', 'EVENTS', 'LISTS', 'HOW', 'ID'], rows);
}

async function showCommand(call: Call): Promise<number | void> {
  const facts = await factsOf(call.sayso, call.words[0] ?? '');
  const reasons = reasonsOf(facts);
  if (call.asJson) call.json({ ...facts, reasons });
  else printFacts(call, facts, reasons);
  return facts.customer === null ? 1 : 0;
}

function printFacts(call: Call, facts: Facts, reasons: ReturnType<typeof reasonsOf>): void {
  const { customer } = facts;
  if (customer !== null) {
    call.out(
      `${printable(customer.email)}: ${stateOf(customer)}, customer since ${timeOf(customer.created_at)} UTC`,
    );
    heading(call, 'Why they may get mail');
  }
  for (const { says, fix } of reasons) {
    call.out(`- ${printable(says)}`);
    if (fix !== null) call.out(`  ${printable(fix)}`);
  }
  if (customer === null) return;
  heading(call, 'Lists');
  const lists = facts.lists.map((list) => [
    list.name,
    list.subscribed === null ? 'never chosen' : list.subscribed ? 'on' : 'off',
    customer.receives.includes(list.notification_list_id) ? 'yes' : 'no',
    timeOf(list.changed_at),
  ]);
  printTable(call, ['LIST', 'CHOICE', 'RECEIVES', 'CHANGED (UTC)'], lists);
  heading(call, `Evidence, newest first (${facts.evidence.length})`);
  printEvidence(call, facts.evidence);
  heading(call, `Deliveries, newest first (${facts.deliveries.length})`);
  printDeliveries(call, facts.deliveries);
  if (facts.tools.length === 0) return;
  heading(call, 'Tools');
  const tools = facts.tools.map((tool) => [
    tool.integration.name,
    STATUS_WORDS[tool.integration.status],
    timeOf(tool.compared_at),
    tool.differences.length,
  ]);
  printTable(call, ['TOOL', 'STATUS', 'COMPARED (UTC)', 'DIFFERENCES'], tools);
}

function planLine({ name, calls, no_calls_because: why, error }: ActionPlan): string {
  if (why === null) return `"${name}" sends ${calls.length === 1 ? '1 call' : `${calls.length} calls`}`;
  return `"${name}" sends nothing: ${NO_CALLS_WORDS[why]}${error === null ? '' : `. ${error}`}`;
}

/** What somebody confirms: the customer, what is recorded for them, and how that reads. */
interface Confirmed {
  customer: ListedCustomer;
  choice: Wanted;
  would: string;
  done: string;
  already: string;
}

/** Previews a choice, and records it with --yes; with --preview only if it is still what was previewed. */
async function confirmChoice(call: Call, confirmed: Confirmed): Promise<number | void> {
  const { sayso, values } = call;
  const { customer, choice, would, done, already } = confirmed;
  const code = textOf(values['preview']);
  const isSure = values['yes'] === true;
  const preview = isSure && code === undefined ? null : await previewOf(sayso, customer, choice);
  if (preview !== null && preview.choices.length === 0) {
    return call.asJson ? call.json(preview) : call.out(printable(already));
  }
  if (preview !== null && code !== undefined) requirePreviewed(code, contentOfChoice(preview));
  if (isSure) {
    await record(sayso, customer, choice);
    if (call.asJson) return call.json(await sayso.getCustomer({ id: customer.id }));
    call.out(printable(done));
    call.out(printable(`What your tools got: sayso deliveries --customer ${shellWord(customer.email)}`));
    return;
  }
  if (call.asJson) call.json(preview);
  else {
    call.out(printable(would));
    const plans = preview?.choices.flatMap(({ actions }) => actions) ?? [];
    for (const plan of plans) call.out(`  ${printable(planLine(plan))}`);
  }
  call.err('Nothing was changed. Add --yes to do it.');
  return 2;
}

async function unsubscribeCommand(call: Call): Promise<number | void> {
  const { words, values } = call;
  const wanted = await unsubscribeOf(call.sayso, { email: words[0] ?? '', list: textOf(values['list']) });
  const { customer, list } = wanted;
  const from = list === null ? 'all' : `"${list.name}"`;
  return confirmChoice(call, {
    customer,
    choice: wantedOf(wanted),
    would: `This would unsubscribe ${customer.email} from ${from}:`,
    done: `Unsubscribed ${customer.email} from ${from}. It's recorded as evidence.`,
    already: `${customer.email} is already unsubscribed from ${from}.`,
  });
}

const textsOf = (value: Values[string]): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

async function chooseCommand(call: Call): Promise<number | void> {
  const { sayso, words, values } = call;
  const [on, off, all] = [textsOf(values['on']), textsOf(values['off']), textOf(values['all'])];
  const isAboutAll = all === 'on' || all === 'off';
  const isOne = isAboutAll ? on.length + off.length === 0 : all === undefined && on.length + off.length > 0;
  if (!isOne) {
    call.err('Name lists with --on and --off, or give --all on or --all off.');
    return 2;
  }
  const customer = await requireCustomer(sayso, words[0] ?? '');
  return confirmChoice(call, {
    customer,
    choice: await choiceOf(sayso, { on, off, ...(isAboutAll ? { all } : {}) }),
    would: `This would change what ${customer.email} receives:`,
    done: `Changed what ${customer.email} receives. It's recorded as evidence.`,
    already: `${customer.email} has exactly this already.`,
  });
}

function printUndo({ out }: Call, { undo }: BulkChange): void {
  if (undo === null) return;
  const { counts, tells } = undo;
  out(`Customers that the bulk change changed: ${counts.customers}`);
  out(`  all of it goes back: ${counts.restored}, some of it: ${counts.partly}, nothing: ${counts.kept}`);
  out(`  subscribed again: ${counts.subscribes}, unsubscribed: ${counts.unsubscribes}`);
  out(`  created by it, and deleted: ${counts.new_customers}`);
  out(`Actions that run: ${tells.length}`);
  for (const { action_id: id, customers, stays, unknown, unsent } of tells) {
    out(`  ${id}: ${customers} changed, ${stays + unknown} left as they are, ${unsent} not sent yet`);
  }
}

async function undoCommand(call: Call): Promise<number | void> {
  const { sayso, words, values } = call;
  const [id = ''] = words;
  const code = textOf(values['preview']);
  const one = code === undefined ? await previewedUndo(sayso, id) : await sayso.getBulkChange({ id });
  if (isUndone(one)) {
    return call.asJson
      ? call.json(one)
      : call.out('This bulk change was already undone, or is being undone.');
  }
  if (one.undo?.status !== 'checked') {
    throw new OutdatedPreview("The preview isn't ready yet. Nothing was changed. Try again in a minute.");
  }
  if (code !== undefined) requirePreviewed(code, contentOfUndo(one));
  if (values['yes'] === true) {
    const started = await sayso.startUndo({ id, body: { unsubscribes: one.undo.counts.unsubscribes } });
    if (call.asJson) return call.json(started);
    return call.out(`The undo has started. How far it is: sayso undo ${id}`);
  }
  if (call.asJson) call.json(one);
  else printUndo(call, one);
  call.err(`Nothing was changed. To undo it: sayso undo ${id} --preview ${codeOf(contentOfUndo(one))} --yes`);
  return 2;
}

async function linksCommand(call: Call): Promise<void> {
  const { sayso, words, values } = call;
  const { id } = await requireCustomer(sayso, words[0] ?? '');
  const [list, page] = [textOf(values['list']), textOf(values['page'])];
  const links = await sayso.mintLinks({
    id,
    body: {
      ...(list === undefined ? {} : { list_id: (await requireList(sayso, list)).id }),
      ...(page === undefined ? {} : { custom_path: page }),
    },
  });
  if (call.asJson) return call.json(links);
  call.out(`Preference page  ${links.preference_url}`);
  call.out(`One-click        ${links.one_click_url}`);
  for (const [name, value] of Object.entries(links.headers)) call.out(`${name}: ${value}`);
  call.out(
    `The page link proves who opens it until ${timeOf(links.expires_at)} UTC. Give it to no one else.`,
  );
}

async function deliveriesCommand(call: Call): Promise<void> {
  const { sayso, values } = call;
  const email = textOf(values['customer']);
  const query = {
    limit: MOST_DELIVERIES,
    ...(values['failed'] === true ? { status: 'failed' as const } : {}),
    ...(values['late'] === true ? { late: 'true' as const } : {}),
    ...(email === undefined ? {} : { customer_id: (await requireCustomer(sayso, email)).id }),
  };
  const { results, next } = await sayso.listDeliveries({ query });
  if (call.asJson) return call.json(results);
  printDeliveries(call, results);
  if (next !== null) call.err(`These are the newest ${MOST_DELIVERIES}. There are more.`);
}

async function evidenceCommand(call: Call): Promise<void> {
  const { id } = await requireCustomer(call.sayso, call.words[0] ?? '');
  const all: Facts['evidence'] = [];
  for await (const one of call.sayso.each('listCustomerEvidence', { id, query: { limit: 100 } }))
    all.push(one);
  if (call.asJson) call.json(all);
  else printEvidence(call, all);
}

/** Whether the key may make a call like this one. */
async function may(read: Promise<unknown>): Promise<boolean> {
  return read.then(
    () => true,
    (error: { status?: number }) => {
      if (error.status === 403) return false;
      throw error;
    },
  );
}

async function whoamiCommand(call: Call): Promise<void> {
  const { sayso } = call;
  const [readsCustomers, readsAll] = await Promise.all([
    may(sayso.listCustomers({ query: { limit: 1 } })),
    may(sayso.listDeliveries({ query: { limit: 1 } })),
  ]);
  const pages = readsAll ? (await sayso.listPreferencePages()).results : [];
  const told = {
    ...sayso.site,
    reads_customers: readsCustomers,
    reads_all: readsAll,
    page: pages[0]?.url ?? null,
  };
  if (call.asJson) return call.json(told);
  call.out(`Server        ${sayso.site.server}`);
  call.out(`Organization  ${sayso.site.organizationId}`);
  call.out(`Site          ${sayso.site.siteId}`);
  if (told.page !== null) call.out(`Page          ${told.page}`);
  call.out(`The key reads customers: ${readsCustomers ? 'yes' : 'no'}`);
  call.out(
    `The key reads evidence, deliveries and tools: ${readsAll ? 'yes' : 'no, it needs the scope read'}`,
  );
}

const CONFIRMATION = { preview: { type: 'string' }, yes: { type: 'boolean' } } as const;

const CONFIRMING =
  'Without --yes it changes nothing, and shows what would happen. Exit code 2 then.\nWith --preview, it changes nothing unless that is still what the preview showed, at most an hour ago.';

export const COMMANDS: Record<string, Command> = {
  'customers find': {
    args: ['EMAIL'],
    summary: 'List customers whose email starts with EMAIL',
    run: findCommand,
  },
  'customers show': {
    args: ['EMAIL'],
    summary: 'Show lists, evidence, deliveries, and why they may still get emails',
    run: showCommand,
  },
  unsubscribe: {
    args: ['EMAIL'],
    flags: '[--list NAME] [--preview CODE] --yes',
    summary: 'Unsubscribe a customer from a list, or from all',
    details: CONFIRMING,
    options: { list: { type: 'string' }, ...CONFIRMATION },
    run: unsubscribeCommand,
  },
  choose: {
    args: ['EMAIL'],
    flags: '[--on NAME]... [--off NAME]... [--all on|off] [--preview CODE] --yes',
    summary: 'Switch lists on and off for a customer, or everything',
    details: `Only do this if they asked for it.\n\n${CONFIRMING}`,
    options: {
      on: { type: 'string', multiple: true },
      off: { type: 'string', multiple: true },
      all: { type: 'string' },
      ...CONFIRMATION,
    },
    run: chooseCommand,
  },
  undo: {
    args: ['ID'],
    flags: '[--preview CODE] --yes',
    summary: 'Undo an import or another bulk change',
    details: CONFIRMING,
    options: CONFIRMATION,
    run: undoCommand,
  },
  links: {
    args: ['EMAIL'],
    flags: '[--list NAME] [--page PATH]',
    summary: 'Create personal links, and the headers for an email',
    options: { list: { type: 'string' }, page: { type: 'string' } },
    run: linksCommand,
  },
  deliveries: {
    flags: '[--failed] [--late] [--customer EMAIL]',
    summary: 'List the newest deliveries',
    options: { failed: { type: 'boolean' }, late: { type: 'boolean' }, customer: { type: 'string' } },
    run: deliveriesCommand,
  },
  evidence: { args: ['EMAIL'], summary: 'List all evidence of a customer', run: evidenceCommand },
  whoami: { summary: 'Show which site the key opens, and what it can read', run: whoamiCommand },
  mcp: {
    summary: 'Serve an agent over stdio (MCP). Only reads and previews',
    fetch: readingOnly(fetch),
    run: async ({ sayso }) => (await import('./mcp.ts')).serveMcp(sayso),
  },
};
