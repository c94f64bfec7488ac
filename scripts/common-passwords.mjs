import { writeFileSync } from 'node:fs';
import { dictionary } from '@zxcvbn-ts/language-common';
import { inRoot } from './project.mjs';

/*
 * Writes server/accounts/users/common-passwords.txt: what people choose most when at least ten characters are asked
 * for. Run it again when the dictionary has a new version.
 */

const MIN_LENGTH = 10;
const MOST_BASES = 250;
const ENDINGS = ['!', '01', '1!', '12', '123', '123!', '1234', '12345', '123456', '2024', '2025', '2026'];
const CHARACTERS = [...'0123456789abcdefghijklmnopqrstuvwxyz'];

const known = dictionary['passwords-common'];
const bases = known.filter((word) => /^[a-z]{4,}$/.test(word)).slice(0, MOST_BASES);
const extended = bases.flatMap((base) => ENDINGS.map((ending) => `${base}${ending}`));
const repeated = CHARACTERS.flatMap((one) => [10, 11, 12].map((count) => one.repeat(count)));
const common = [...known, ...extended, ...repeated].filter((word) => word.length >= MIN_LENGTH);

const lines = [...new Set(common.map((word) => word.toLowerCase()))].toSorted();
writeFileSync(inRoot('server/accounts/users/common-passwords.txt'), `${lines.join('\n')}\n`);
