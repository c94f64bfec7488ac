import { WebhookSecretsCard } from '../WebhookSecretsCard.tsx';
import { ApiKeysSection } from './ApiKeysSection.tsx';

/** Whatever lets a program in here, or proves to one that we call it. */
export function KeysSection() {
  return (
    <div className="flex flex-col gap-6">
      <ApiKeysSection />
      <WebhookSecretsCard />
    </div>
  );
}
