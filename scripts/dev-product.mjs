import { readFileSync } from 'node:fs';
import { inRoot } from './project.mjs';

/*
 * The product while one develops. It loads its libraries ahead of time and starts when its parent says so: they are two
 * thirds of a start, and a change of our own code needs none of them again.
 */

const asked = new Promise((resolve) => process.once('message', resolve));

/** @type {{ dependencies: Record<string, string> }} */
const { dependencies } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
// Some can't be imported by their bare name; the product imports what it needs of them.
await Promise.allSettled(Object.keys(dependencies).map((name) => import(name)));
await asked;
process.disconnect();
await import('../server/main.ts');
