import { createBackendProvider } from '../backend/backend-provider.ts';
import { refuseTooManyInputs } from '../backend/sent-images.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type { Provider } from '../provider-port.ts';
import { capabilitiesOf, GEMINI_INPUTS } from './capabilities.ts';
import { createGeminiClient } from './client.ts';

/** Creates the provider for one account of the Gemini API, or for one project of Vertex AI. */
export function createGeminiProvider(parts: NamedProviderParts<'gemini'>): Provider {
  const { name, settings, apiKey } = parts;
  return createBackendProvider({
    name,
    displayName: settings.dialect === 'vertex' ? 'Gemini on Vertex AI' : 'Gemini',
    settings,
    documents: settings.models.map((model) => capabilitiesOf(name, model, settings)),
    refuse: (call) => refuseTooManyInputs(call, GEMINI_INPUTS),
    call: createGeminiClient(parts).call,
    probe: apiKey.readiness,
  });
}
