import { describe, expect, it } from 'vitest';
import { guard, loginHref, safeNext } from './navigation-guard.logic.ts';

const APP = 'http://localhost:3000';
const here = { host: 'localhost:3000' };
const owner = { organization: '0198-acme' };
const newcomer = { organization: 'None' };

function route(path: string, isAuthRequired = true, isAppOnly = true) {
  return { path, href: path, isAuthRequired, isAppOnly };
}

describe('the guard', () => {
  it('sends a logged-in user from login to the dashboard (spec 93)', () => {
    expect(guard(route('/login', false), owner, here, APP)).toEqual({ kind: 'go', to: '/dashboard' });
  });

  it('sends the anonymous to login, to come back afterwards (spec 52, 94)', () => {
    expect(guard(route('/lists'), null, here, APP)).toEqual({ kind: 'go', to: '/login', next: '/lists' });
    expect(guard(route('/dashboard'), null, here, APP)).toEqual({ kind: 'go', to: '/login' });
  });

  it('confines a user without an organization to the survey (spec 94)', () => {
    expect(guard(route('/dashboard'), newcomer, here, APP)).toEqual({ kind: 'go', to: '/signup-survey' });
    expect(guard(route('/signup-survey'), newcomer, here, APP)).toEqual({ kind: 'stay' });
  });

  it('sends a user with an organization from the survey to the dashboard (spec 94)', () => {
    expect(guard(route('/signup-survey'), owner, here, APP)).toEqual({ kind: 'go', to: '/dashboard' });
  });

  it('lets an owner and open routes through (spec 52)', () => {
    expect(guard(route('/lists'), owner, here, APP)).toEqual({ kind: 'stay' });
    expect(guard(route('/signup', false), null, here, APP)).toEqual({ kind: 'stay' });
  });

  it('leaves another host for the app host, but not from notFound (spec 95)', () => {
    const there = { host: 'acme.localhost:3000' };
    expect(guard(route('/lists'), owner, there, APP)).toEqual({ kind: 'leave', url: `${APP}/lists` });
    expect(guard(route('/404', false, false), null, there, APP)).toEqual({ kind: 'stay' });
    expect(guard(route('/lists'), owner, there, null)).toEqual({ kind: 'stay' });
  });
});

describe('where to go after login', () => {
  it.each(['/lists', '/edit-preference-page/1/2?x=1'])('%s is kept', (next) => {
    expect(safeNext(next)).toBe(next);
  });

  const ELSEWHERE = [
    ...['//evil.example', '/\\evil.example', 'https://evil.example', '/\t/evil.example', '/\n\\evil.example'],
    ...['/.//evil.example', '/lists/..//evil.example', 'javascript:alert(1)', 'evil.example', '/login', ''],
  ];

  it.each([...ELSEWHERE, undefined, 7, ['/lists']])('%j is dropped', (next) => {
    expect(safeNext(next)).toBeUndefined();
  });

  it('is part of the login’s address, unless it leads there anyway', () => {
    expect(loginHref('/lists?a=1')).toBe('/login?next=%2Flists%3Fa%3D1');
    for (const href of ['/dashboard', '/dashboard?x=1', '/signup-survey', '/login?next=%2Flists', '/']) {
      expect(loginHref(href)).toBe('/login');
    }
  });
});
