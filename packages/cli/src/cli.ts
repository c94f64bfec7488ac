import { parseArgs, type ParseArgsConfig } from 'node:util';
import { createSayso, SaysoError, type Sayso } from '../../sdk/src/index.ts';
import { COMMANDS, type Command, type Values } from './commands.ts';
import { OutdatedPreview } from './confirmation.ts';
import { NotFound } from './preview.ts';
import { printable } from './words.ts';

/** What the command line was given that it can't use. */
class UsageError extends Error {}

export interface Terminal {
  out: (line: string) => void;
  err: (line: string) => void;
}

export const EXIT = { fine: 0, failed: 1, usage: 2 } as const;

const SHARED_OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  url: { type: 'string' },
  organization: { type: 'string' },
  site: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

const SETTINGS = `Settings:
  SAYSO_URL   the base URL of your site, or --url
              Copy it from Account Settings, API keys and secrets.
  SAYSO_KEY   an API key of the site. Never an argument: others on the machine could read it there.
              Reading takes the scope read, unsubscribe, choose and links the scope customers,
              and undo the scope write.
  If the URL is only the server's: SAYSO_ORGANIZATION and SAYSO_SITE, or --organization and --site.`;

function usageOf(name: string, { args = [], flags = '' }: Command): string {
  return ['sayso', name, ...args, flags].join(' ').trim();
}

function helpOfAll(): string {
  const rows = Object.entries(COMMANDS).map(([name, command]) => {
    const { summary } = command;
    const call = usageOf(name, command).replace(/^sayso /, '');
    return call.length > 40 ? `  ${call}\n${' '.repeat(44)}${summary}` : `  ${call.padEnd(42)}${summary}`;
  });
  return `Usage: sayso COMMAND

${rows.join('\n')}

Every command takes --json for machines and --help.

${SETTINGS}

Exit codes: 0 fine, 1 failed, 2 wrong usage.`;
}

function helpOf(name: string, command: Command): string {
  const { summary, details } = command;
  const more = details === undefined ? '' : `\n\n${details}`;
  return `Usage: ${usageOf(name, command)}\n\n${summary}.${more}\n\n${SETTINGS}`;
}

/** The longest name that the words begin with. */
function commandIn(words: string[]): { name: string; command: Command; rest: string[] } {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ');
    const command = words.length < length ? undefined : COMMANDS[name];
    if (command !== undefined) return { name, command, rest: words.slice(length) };
  }
  throw new UsageError(`There is no command "${words.slice(0, 2).join(' ')}". "sayso --help" lists all.`);
}

function parse(args: string[], command: Command | null): { words: string[]; values: Values } {
  if (args.some((arg) => /^--(?:key|api-key|token)(?:=|$)/.test(arg))) {
    throw new UsageError('A key is never an argument: others on the machine could read it. Set SAYSO_KEY.');
  }
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      strict: command !== null,
      options: { ...SHARED_OPTIONS, ...command?.options },
    });
    return { words: positionals, values };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function settingOf(values: Values, option: string, variable: string, env: NodeJS.ProcessEnv): string {
  const given = values[option];
  return (typeof given === 'string' ? given : env[variable])?.trim() ?? '';
}

function connect(values: Values, env: NodeJS.ProcessEnv, fetch: Command['fetch']): Sayso {
  const url = settingOf(values, 'url', 'SAYSO_URL', env);
  const key = env['SAYSO_KEY']?.trim() ?? '';
  if (url === '') {
    throw new UsageError(
      'SAYSO_URL is missing. Copy the base URL from Account Settings, API keys and secrets.',
    );
  }
  if (key === '') {
    throw new UsageError('SAYSO_KEY is missing. Create a key under Account Settings, API keys and secrets.');
  }
  try {
    return createSayso({
      url,
      key,
      organizationId: settingOf(values, 'organization', 'SAYSO_ORGANIZATION', env),
      siteId: settingOf(values, 'site', 'SAYSO_SITE', env),
      ...(fetch === undefined ? {} : { fetch }),
    });
  } catch (error) {
    const message = error instanceof TypeError ? error.message : String(error);
    throw new UsageError(message.replace(/^url:/, 'SAYSO_URL:').replace(/^key:/, 'SAYSO_KEY:'), {
      cause: error,
    });
  }
}

function checkWords(name: string, command: Command, words: string[]): void {
  const wanted = command.args ?? [];
  const usage = `Usage: ${usageOf(name, command)}`;
  const [missing] = wanted.slice(words.length);
  if (missing !== undefined) throw new UsageError(`${missing} is missing. ${usage}`);
  const extra = words[wanted.length];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one too many. ${usage}`);
}

async function runCommand(args: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const loose = parse(args, null);
  if (loose.words.length === 0) {
    if (args.length > 0 && loose.values['help'] !== true) {
      throw new UsageError('The command is missing. "sayso --help" lists all.');
    }
    terminal.out(helpOfAll());
    return loose.values['help'] === true ? EXIT.fine : EXIT.usage;
  }
  const { name, command } = commandIn(loose.words);
  const { words: all, values } = parse(args, command);
  if (values['help'] === true) {
    terminal.out(helpOf(name, command));
    return EXIT.fine;
  }
  const words = all.slice(name.split(' ').length);
  checkWords(name, command, words);
  const sayso = connect(values, env, command.fetch);
  const say = { ...terminal, json: (value: unknown) => terminal.out(JSON.stringify(value, null, 2)) };
  return (await command.run({ sayso, words, values, asJson: values['json'] === true, ...say })) ?? EXIT.fine;
}

/** `fetch` says only that it failed; what made it fail says why. */
function rootOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.cause !== undefined) return rootOf(cause.cause);
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message === '' ? (code ?? cause.name) : cause.message;
}

/** @returns the exit code */
export async function main(args: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  try {
    return await runCommand(args, env, terminal);
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.err(error.message);
      return EXIT.usage;
    }
    if (error instanceof NotFound || error instanceof OutdatedPreview) {
      terminal.err(printable(error.message));
      return EXIT.failed;
    }
    if (!(error instanceof SaysoError)) throw error;
    const cause = error.cause === undefined ? '' : ` (${rootOf(error.cause)})`;
    const request = error.requestId === null ? '' : ` Request ID: ${error.requestId}`;
    terminal.err(printable(`${error.message}${cause}${request}`));
    return EXIT.failed;
  }
}
