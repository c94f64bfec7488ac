import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/* Programs that know what a PDF has to be, where they are installed (in Debian: qpdf, and libpdfbox2-java with libjaxb-api-java). */

export interface PdfChecker {
  name: string;
  command: [string, ...string[]];
  /** What it says where it finds nothing wrong. */
  good: string;
}

const QPDF: PdfChecker = {
  name: 'qpdf',
  command: ['qpdf', '--check'],
  good: 'No syntax or stream encoding errors found',
};

const JARS = [
  'preflight',
  'pdfbox2',
  'fontbox2',
  'xmpbox',
  'commons-logging',
  'commons-io',
  'jaxb-api',
  'javax.activation',
].map((name) => `/usr/share/java/${name}.jar`);

/** It knows the first part of PDF/A, whose demands on fonts, colors and descriptions the second part has, too. */
const PDFBOX: PdfChecker = {
  name: 'PDFBox',
  command: ['java', '-cp', JARS.join(':'), 'org.apache.pdfbox.preflight.Validator_A1b'],
  good: 'is a valid PDF/A-1b file',
};

export const syntaxCheckers = () => (spawnSync('qpdf', ['--version']).status === 0 ? [QPDF] : []);

export const archiveCheckers = () => [
  ...syntaxCheckers(),
  ...(JARS.every((jar) => existsSync(jar)) ? [PDFBOX] : []),
];

export function outputOf({ command: [program, ...args] }: PdfChecker, file: string): string {
  const { stdout, stderr } = spawnSync(program, [...args, file], { encoding: 'utf8', maxBuffer: 1e8 });
  return `${stdout}${stderr}`;
}
