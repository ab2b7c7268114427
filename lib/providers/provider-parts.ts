import type { ProviderKind, SingleKey } from '../config/settings/provider-names.ts';
import type { Config } from '../config/settings/settings.ts';
import type { ImageEngine } from '../images/image.ts';
import type { HttpClient } from '../net/http-client.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import type { ApiKeySource } from './credentials/api-key.ts';
import type { CredentialSource } from './credentials/credential-source.ts';

/** What all providers are built from. */
export interface SharedParts {
  readonly engine: ImageEngine;
  readonly httpClient: HttpClient;
  readonly clock: Clock;
  readonly ids: Ids;
  /** For reading and writing large bodies. */
  readonly slices: TimeSlices;
  readonly images: Config['images'];
  /** `state.directory`: a provider keeps what it stores in a folder of its own there. */
  readonly stateDirectory: string;
  /** The variable `PATH` of this process. */
  readonly searchPath: string | undefined;
}

/** What the provider that there is once under this key of the settings is built from. */
export interface ProviderParts<Key extends SingleKey> extends SharedParts {
  /** The registered name. */
  readonly name: string;
  /** Its own. */
  readonly settings: Config['providers'][Key];
  /** The login in the folder that the provider's settings name; providers with the same folder share it. */
  readonly credentials: CredentialSource;
}

/** What one of the named providers of a kind is built from. */
export interface NamedProviderParts<Kind extends ProviderKind> extends SharedParts {
  /** The registered name, as the settings give it. */
  readonly name: string;
  /** Its own. */
  readonly settings: Config['providers'][Kind][string];
  readonly apiKey: ApiKeySource;
}
