import { ACTION_TYPES, isToolAction, type ToolActionType } from '#contract/actions.ts';
import type { Capability, Connector, RateLimit } from '#server/connectors/connector.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import { isQuota } from '#server/tools/clients/rate-limit.ts';

/* The handbook's pages about email tools, generated from the connectors. */

const TOOL_TYPES = ACTION_TYPES.filter(isToolAction);

/** Types whose name differs from their identifier. */
const NAMES: Partial<Record<ToolActionType, string>> = {
  global_unsubscribe: 'unsubscribe from all',
  switch_email: 'email change',
};

/** `suppression_group`: Suppression group. */
function wordsOf(type: ToolActionType): string {
  const words = NAMES[type] ?? type.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Escapes text for Markdown. */
const plain = (text: string) => text.replaceAll(/[\\`*_[\]<>|#]/g, String.raw`\$&`);

const joined = (...parts: (string | false | undefined)[]) => parts.filter(Boolean).join('\n\n');

function abilityOf(type: ToolActionType, capability: Capability): string {
  if (!capability.can) return '';
  const { operations, target, irreversible, note } = capability;
  const about = target === null ? '' : ` Choose from its ${target.replaceAll('_', ' ')}.`;
  return joined(
    `### ${wordsOf(type)}`,
    `Can ${operations.join(' and ')}.${about}`,
    note !== undefined && plain(note),
    irreversible !== undefined && `> **Can’t be undone.** ${plain(irreversible)}`,
  );
}

function inabilitiesOf({ actions }: Connector): string {
  return TOOL_TYPES.flatMap((type) => {
    const capability = actions[type];
    return capability.can ? [] : [`- **${wordsOf(type)}**: ${plain(capability.reason)}`];
  }).join('\n');
}

const PERIODS: Record<number, string> = {
  1: 'a second',
  60: 'a minute',
  3600: 'an hour',
  86_400: 'a day',
};

function limitWords({ requests, perSeconds, endpointOf }: RateLimit): string {
  const period = PERIODS[perSeconds] ?? `in ${perSeconds} seconds`;
  const each = endpointOf === undefined ? '' : ' of each endpoint';
  return `${requests.toLocaleString('en')} calls ${period}${each}`;
}

function paceOf({ name, limits, concurrency }: Connector): string {
  const spaced = limits.some(isQuota)
    ? 'Half of a day’s calls can be made at any time'
    : 'They’re evenly spaced';
  const limited =
    limits.length === 0
      ? `${name} publishes no rate limit.`
      : `Sayso makes at most ${limits.map(limitWords).join(' and ')} to one account. ${spaced}.`;
  return `${limited} At most ${concurrency} ${concurrency === 1 ? 'call runs' : 'calls run'} at the same time.`;
}

function connectingOf({ name, credentials, oauth }: Connector): string {
  const fields = credentials.map(({ label, help, example, choices }) =>
    choices === undefined
      ? `- **${label}**: ${plain(help)} It looks like \`${example}\`.`
      : `- **${label}**: ${plain(help)} ${Object.values(choices).join(' or ')}.`,
  );
  const login =
    oauth === undefined
      ? ''
      : `If your server has an app with ${name}, you can also log in there, with nothing to copy: choose **Log in to ${name}**. To register an app, see [settings](settings.md).`;
  return joined(`## Connect ${name}`, fields.join('\n'), login);
}

function inboundOf({ name, inbound }: Connector): string {
  return joined(
    `## Changes from ${name}`,
    inbound.kind === 'webhook'
      ? joined(
          `${name} sends what customers do there by webhook. We set it up when you connect ${name}, and check it every night. If ${name} doesn’t let us, set it up by hand, with the URL on the integration’s screen:`,
          plain(inbound.setup),
        )
      : `We check ${name} every 5 minutes for what customers did there. There’s nothing to set up.`,
    'We take unsubscribes from the tool, never consent: see [changes from your tools](inbound.md).',
  );
}

function importOf({ name, people }: Connector): string {
  const said = people.can
    ? joined(
        `Import customers from the ${people.of.map((kind) => kind).join(' and ')} in ${name}, ${people.exportsUnsubscribed ? 'including' : 'without'} those who unsubscribed.`,
        people.note !== undefined && plain(people.note),
      )
    : plain(people.reason);
  return joined('## Import customers', said, 'See [imports](imports.md).');
}

function linksOf({ name, mergeTags }: Connector): string {
  return joined(
    `## Links in ${name} emails`,
    `In ${name} emails, \`${mergeTags.email}\` inserts the recipient’s email. To insert a custom field, here one called “Preferences”, write \`${mergeTags.field({ id: 'PREFS', name: 'Preferences' })}\`.`,
    'The integration’s screen has links ready to copy: see [links in your emails](links-in-mails.md).',
  );
}

function settingsOf({ name, envName, oauth }: Connector): string {
  const app =
    oauth !== undefined &&
    `\`CONNECTOR_${envName}_CLIENT_ID\` and \`CONNECTOR_${envName}_CLIENT_SECRET\` are your server’s app with ${name}, for logins.`;
  return joined(
    '## Server settings',
    app,
    `\`CONNECTOR_${envName}_URL\` sends calls to ${name} to another URL. See [settings](settings.md).`,
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
    `How to connect ${name}, what Sayso can do there, and what it can’t and why.`,
    connectingOf(connector),
    notes,
    '## What it can do',
    ...TOOL_TYPES.map((type) => abilityOf(type, actions[type])),
    '## What it can’t do',
    inabilitiesOf(connector) || 'Nothing: all action types work.',
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
  // An email change is undone by another email change, so "one way" does not apply.
  return type === 'switch_email' || capability.operations.length === 2 ? 'yes' : 'one way';
}

/** A Markdown table; the first row is its header. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
