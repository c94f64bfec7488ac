import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Refusal, run, say } from './project.mjs';

/** Chromium without the parts of a desktop: it loads a page with half the work. */
const shells = ['chromium-headless-shell', 'chrome-headless-shell'];

const names = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {string[]} programs */
function onPath(programs) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin'];
  return programs.flatMap((name) => folders.filter(Boolean).map((folder) => join(folder, name)));
}

function onMac() {
  const apps = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
  const folders = ['/Applications', join(homedir(), 'Applications')];
  return folders.flatMap((folder) => apps.map((app) => join(folder, `${app}.app/Contents/MacOS`, app)));
}

function onWindows() {
  const { PROGRAMFILES, 'PROGRAMFILES(X86)': x86, LOCALAPPDATA } = process.env;
  const inside = ['Google/Chrome/Application/chrome.exe', 'Chromium/Application/chrome.exe'];
  return [PROGRAMFILES, x86, LOCALAPPDATA]
    .filter((folder) => folder !== undefined)
    .flatMap((folder) =>
      [...inside, 'Microsoft/Edge/Application/msedge.exe'].map((path) => join(folder, path)),
    );
}

/** @type {Partial<Record<NodeJS.Platform, string>>} */
const playwrightFolders = {
  linux: join(homedir(), '.cache/ms-playwright'),
  darwin: join(homedir(), 'Library/Caches/ms-playwright'),
  win32: join(process.env.LOCALAPPDATA ?? homedir(), 'ms-playwright'),
};

function inPlaywrightCache() {
  const folder = process.env.PLAYWRIGHT_BROWSERS_PATH ?? playwrightFolders[process.platform];
  if (!folder || !existsSync(folder)) return [];
  const inside = [
    'chrome-linux/chrome',
    'chrome-linux64/chrome',
    'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
    'chrome-win/chrome.exe',
    'chrome-win64/chrome.exe',
  ];
  const versions = readdirSync(folder).filter((name) => /^chromium-\d+$/.test(name));
  return versions
    .toSorted()
    .toReversed()
    .flatMap((name) => inside.map((path) => join(folder, name, path)));
}

/** @type {Partial<Record<NodeJS.Platform, () => string[]>>} */
const ofPlatform = { darwin: onMac, win32: onWindows };

function find() {
  const places = ofPlatform[process.platform] ?? (() => []);
  return [...onPath([...shells, ...names]), ...places(), ...inPlaywrightCache()].find(isExecutable);
}

const hasShell = () => onPath(shells).some(isExecutable);

const install = ['install', '-y', '--no-install-recommends'];

// Debian has the shell in a package of its own; where there is none, `find` sees the second step's Chromium.
const managers = [
  { tool: 'apt-get', steps: [['update'], [...install, 'chromium-headless-shell'], [...install, 'chromium']] },
  { tool: 'dnf', steps: [['install', '-y', 'chromium']] },
  { tool: 'zypper', steps: [['--non-interactive', 'install', 'chromium']] },
  { tool: 'pacman', steps: [['-Sy', '--noconfirm', 'chromium']] },
  { tool: 'apk', steps: [['add', '--no-cache', 'chromium']] },
];

async function installWithSystem() {
  const manager = managers.find(
    ({ tool }) => isExecutable(`/usr/bin/${tool}`) || isExecutable(`/sbin/${tool}`),
  );
  if (process.getuid?.() !== 0 || !manager) return;
  say(`Installing Chromium for the browser tests with ${manager.tool} ...`);
  for (const step of manager.steps) {
    if (hasShell()) return;
    const { code, output } = await run(manager.tool, step, {
      quiet: true,
      env: { DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (code !== 0) say(output.trim());
  }
}

/** Finds a Chromium, or installs one; throws with one clear sentence when neither is possible. */
export async function ensureChromium() {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) {
    if (isExecutable(chosen)) return chosen;
    throw new Refusal(`CHROMIUM_PATH is ${chosen}, but there is no program at that place.`);
  }
  const found = find();
  // A machine of one's own keeps the browser that it has; CI takes the faster one.
  if (found && (hasShell() || !process.env.CI)) return found;
  await installWithSystem();
  const installed = find();
  if (installed) return installed;
  throw new Refusal(
    'The browser tests need Chromium or Chrome, and none was found or could be installed. ' +
      'Install one (on Debian: "sudo apt-get install chromium") or set CHROMIUM_PATH to its program.',
  );
}
