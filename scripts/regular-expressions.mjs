import { faultsOfPatterns } from './patterns.mjs';
import { say } from './project.mjs';

/* Exits with 1 and a line for each regular expression that a text from outside could keep busy. */

const faults = await faultsOfPatterns();
for (const fault of faults) say(fault);
process.exit(faults.length === 0 ? 0 : 1);
