import { say } from './project.mjs';
import { launch } from './serve.mjs';

/** @typedef {import('../db/demo/fake-tools.ts').FakeAccount} FakeAccount */

/**
 * What a developer types in to connect one: made up, and good for nothing else.
 * @param {FakeAccount[]} tools
 */
function describe(tools) {
  const width = Math.max(...tools.map(({ name }) => name.length));
  const lines = tools.map(({ name, credentials }) => {
    const fields = Object.entries(credentials).map(([field, value]) => `${field} ${value}`);
    return `  ${name.padEnd(width)}  ${fields.join(`\n  ${' '.repeat(width)}  `)}`;
  });
  return [
    '',
    'Stand-ins for the email tools run until you stop this, and start empty each time. Connect them with',
    ...lines,
    '',
  ].join('\n');
}

/**
 * Starts the stand-ins of the email tools in a process of their own, which outlives reloads of the server.
 * @returns what the server needs to find them: settings, and the address that they are asked at about themselves
 */
export async function startFakes() {
  const { child, exited } = launch(['test/fakes/tools/run.ts']);
  /** @type {Promise<{ url: string, tools: FakeAccount[] }>} */
  const told = new Promise((resolve, reject) => {
    child.once('message', (message) =>
      resolve(/** @type {{ url: string, tools: FakeAccount[] }} */ (message)),
    );
    exited.then((code) => reject(new Error(`The stand-ins of the email tools ended with ${code}.`)), reject);
  });
  const { url, tools } = await told;
  say(describe(tools));
  const urls = Object.fromEntries(tools.map(({ setting, url: toolUrl }) => [setting, toolUrl]));
  return {
    url,
    env: {
      ...urls,
      // The stand-ins are on this machine, and so is the webhook receiver of the developer.
      ALLOW_PRIVATE_TARGETS: '1',
      ...Object.fromEntries(
        Object.entries(process.env).filter(
          ([name, value]) => value && (name in urls || name === 'ALLOW_PRIVATE_TARGETS'),
        ),
      ),
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
