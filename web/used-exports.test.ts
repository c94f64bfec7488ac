import { expect, test } from 'vitest';
import { importedBy, withoutUnused } from './used-exports.ts';

const CODE = `"use strict";
function one() { return 1; }
exports.used = one;
exports.unused = function () { return one(); };
exports.ownUse = one;
exports.other = () => exports.ownUse();
`;

test('only exports are left out that neither other files nor the file itself use', () => {
  const left = withoutUnused(CODE, 'react.production.js', new Set(['used']));
  expect(left).toContain('exports.used = one;');
  expect(left).toContain('exports.ownUse = one;');
  expect(left).not.toContain('exports.unused');
  expect(left).not.toContain('exports.other');
});

test('imports by name are found over several lines; any other import of React stops the build', () => {
  const code = `import {\n  useState,\n  type ReactNode,\n} from 'react';\nimport { createPortal } from 'react-dom';`;
  expect(importedBy(code, 'Page.tsx')).toEqual(expect.arrayContaining(['useState', 'createPortal']));
  for (const other of ["import React from 'react';", "import * as React from 'react';"]) {
    expect(() => importedBy(other, 'Page.tsx')).toThrow(
      /^Page\.tsx: import what you need from React by name/,
    );
  }
});
