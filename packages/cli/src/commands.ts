import type { ParseArgsConfig } from 'node:util';
import type { ActionPlan } from '#contract/choice-previews.ts';
import type { Delivery } from '#contract/deliveries.ts';
import type { Sayso, SaysoOptions } from '../../sdk/src/index.ts';
import { type Facts, factsOf } from './facts.ts';
import { previewOf, requireCustomer, requireList, unsubscribe, unsubscribeOf } from './preview.ts';
import { reasonsOf } from './reasons.ts';
import { readingOnly } from './reading-only.ts';
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

async function unsubscribeCommand(call: Call): Promise<number | void> {
  const { sayso, words, values } = call;
  const wanted = await unsubscribeOf(sayso, { email: words[0] ?? '', list: textOf(values['list']) });
  const { customer, list } = wanted;
  const from = list === null ? 'all' : `"${list.name}"`;
  if (values['yes'] === true) {
    await unsubscribe(sayso, wanted);
    if (call.asJson) return call.json(await sayso.getCustomer({ id: customer.id }));
    call.out(printable(`Unsubscribed ${customer.email} from ${from}. It's recorded as evidence.`));
    call.out(printable(`What your tools got: sayso deliveries --customer ${shellWord(customer.email)}`));
    return;
  }
  const preview = await previewOf(sayso, wanted);
  if (call.asJson) call.json(preview);
  if (preview.choices.length === 0) {
    if (!call.asJson) call.out(printable(`${customer.email} is already unsubscribed from ${from}.`));
    return;
  }
  if (!call.asJson) {
    call.out(printable(`This would unsubscribe ${customer.email} from ${from}:`));
    const plans = preview.choices.flatMap(({ actions }) => actions);
    for (const plan of plans) call.out(`  ${printable(planLine(plan))}`);
  }
  call.err('Nothing was changed. Add --yes to unsubscribe them.');
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
    flags: '[--list NAME] --yes',
    summary: 'Unsubscribe a customer from a list, or from all',
    details: 'Without --yes it changes nothing, and shows what would be sent. Exit code 2 then.',
    options: { list: { type: 'string' }, yes: { type: 'boolean' } },
    run: unsubscribeCommand,
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
