import { ACTION_TYPES, isToolAction, type ToolActionType } from '#contract/actions.ts';
import type { Capability, Connector, RateLimit } from '#server/connectors/connector.ts';
import { CONNECTORS } from '#server/connectors/index.ts';

/* The handbook's pages about email tools, generated from the connectors. */

const TOOL_TYPES = ACTION_TYPES.filter(isToolAction);

/** `suppression_group`: Suppression group. */
function wordsOf(type: ToolActionType): string {
  const words = type === 'switch_email' ? 'address change' : type.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Escapes text for Markdown. */
const plain = (text: string) => text.replaceAll(/[\\`*_[\]<>|#]/g, String.raw`\$&`);

const joined = (...parts: (string | false | undefined)[]) => parts.filter(Boolean).join('\n\n');

function abilityOf(type: ToolActionType, capability: Capability): string {
  if (!capability.can) return '';
  const { operations, target, irreversible, note } = capability;
  const about = target === null ? '' : ` Chosen from its ${target.replaceAll('_', ' ')}.`;
  return joined(
    `### ${wordsOf(type)}`,
    `Can ${operations.join(' and ')}.${about}`,
    note !== undefined && plain(note),
    irreversible !== undefined && `> **Cannot be undone.** ${plain(irreversible)}`,
  );
}

function inabilitiesOf({ actions }: Connector): string {
  return TOOL_TYPES.flatMap((type) => {
    const capability = actions[type];
    return capability.can ? [] : [`- **${wordsOf(type)}**: ${plain(capability.reason)}`];
  }).join('\n');
}

const PERIODS: Record<number, string> = { 1: 'second', 60: 'minute', 3600: 'hour', 86_400: 'day' };

function limitWords({ requests, perSeconds }: RateLimit): string {
  const period = PERIODS[perSeconds] ?? `${perSeconds} seconds`;
  return `${requests.toLocaleString('en')} calls a ${period}`.replace(/a (\d)/, 'in $1');
}

function paceOf({ name, limits, concurrency }: Connector): string {
  const limited =
    limits.length === 0
      ? `${name} names no number of calls.`
      : `Sayso makes at most ${limits.map(limitWords).join(' and ')} to one account, at an even pace.`;
  return `${limited} At most ${concurrency} ${concurrency === 1 ? 'call is' : 'calls are'} made at the same time.`;
}

function connectingOf({ name, credentials, oauth }: Connector): string {
  const fields = credentials.map(
    ({ label, help, example }) => `- **${label}**: ${plain(help)} It looks like \`${example}\`.`,
  );
  const login =
    oauth === undefined
      ? ''
      : `Where your server has an app with ${name}, you can also connect by logging in there, with nothing to copy: choose **Log in at ${name}**. See [settings](settings.md) for how an app is registered.`;
  return joined('## Connect it', fields.join('\n'), login);
}

function inboundOf({ name, inbound }: Connector): string {
  return joined(
    `## What ${name} tells back`,
    inbound.kind === 'webhook'
      ? joined(
          `${name} tells by a webhook what people do there. The address is on the integration’s own screen.`,
          plain(inbound.setup),
        )
      : `${name} is asked every five minutes what people did there. There is nothing to set up.`,
    'Opt-outs come in, consent never does: see [what comes back](inbound.md).',
  );
}

function importOf({ name, people }: Connector): string {
  const said = people.can
    ? joined(
        `People can be read from the ${people.of.map((kind) => kind).join(' and ')} of ${name}, ${people.tellsWhoLeft ? 'with those who left' : 'without those who left'}.`,
        people.note !== undefined && plain(people.note),
      )
    : plain(people.reason);
  return joined('## Bring people in', said, 'How that works: [imports](imports.md).');
}

function linksOf({ name, mergeTags }: Connector): string {
  return joined(
    '## Links in its mails',
    `In a mail of ${name}, \`${mergeTags.email}\` stands for the address of who gets it. A custom field, here one called “Preferences”, is written \`${mergeTags.field({ id: 'PREFS', name: 'Preferences' })}\`.`,
    'The integration’s screen has the finished links to copy: see [links in your mails](links-in-mails.md).',
  );
}

function settingsOf({ name, envName, oauth }: Connector): string {
  const app =
    oauth !== undefined &&
    `\`CONNECTOR_${envName}_CLIENT_ID\` and \`CONNECTOR_${envName}_CLIENT_SECRET\` are the app that your server has with ${name}, for logins.`;
  return joined(
    '## Settings of your server',
    app,
    `\`CONNECTOR_${envName}_URL\` sends the calls to ${name} to another address. See [settings](settings.md).`,
  );
}

/**
 * The page of a tool.
 * @param notes handwritten Markdown about it; may be empty
 */
export function toolPage(connector: Connector, notes: string): string {
  const { name, actions } = connector;
  return joined(
    `# ${name}`,
    `What Sayso can do in ${name}, what it cannot and why, and how the two are connected.`,
    connectingOf(connector),
    notes,
    '## What it can do',
    ...TOOL_TYPES.map((type) => abilityOf(type, actions[type])),
    '## What it cannot do',
    inabilitiesOf(connector) || 'Nothing is missing: all types of actions work.',
    '## Limits',
    paceOf(connector),
    inboundOf(connector),
    importOf(connector),
    linksOf(connector),
    settingsOf(connector),
  );
}

export const toolPageFile = ({ id }: Connector) => `${id}.md`;

/** The table of what each tool can do. */
export function toolTable(): string {
  const head = ['Tool', ...TOOL_TYPES.map((type) => wordsOf(type))];
  const rows = CONNECTORS.map((connector) => [
    `[${connector.name}](${toolPageFile(connector)})`,
    ...TOOL_TYPES.map((type) => wordOf(type, connector.actions[type])),
  ]);
  return tableOf([head, ...rows]);
}

function wordOf(type: ToolActionType, capability: Capability): string {
  if (!capability.can) return 'no';
  // An address change is undone by another address change, so "one way" does not apply.
  return type === 'switch_email' || capability.operations.length === 2 ? 'yes' : 'one way';
}

/** A Markdown table; the first row is its header. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
