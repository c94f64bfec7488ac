import { WebhookSecretsCard } from '../WebhookSecretsCard.tsx';
import { ApiKeysSection } from './ApiKeysSection.tsx';

/** API keys and webhook secrets. */
export function KeysSection() {
  return (
    <div className="flex flex-col gap-6">
      <ApiKeysSection />
      <WebhookSecretsCard />
    </div>
  );
}
