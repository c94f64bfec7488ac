import { expect, test } from 'vitest';
import * as contract from '#contract/public-preferences.ts';
import { ROUTES } from './api-routes.ts';

test('calls go where the contract says', () => {
  const place = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  expect(Object.values(ROUTES).map(place)).toEqual(
    [
      contract.openCustomer,
      contract.getCustomerPage,
      contract.saveLists,
      contract.updatePublicCustomer,
      contract.undoChoice,
      contract.giveReason,
      contract.mailFreshLink,
      contract.endOwnLinks,
      contract.resendConfirmation,
      contract.getChoiceProgress,
      contract.requestData,
      contract.complain,
    ].map(place),
  );
});
