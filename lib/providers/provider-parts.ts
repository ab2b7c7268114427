import type { ProviderKind, SingleKey } from '../config/settings/provider-names.ts';
import type { Config } from '../config/settings/settings.ts';
import type { ImageEngine } from '../images/image.ts';
import type { HttpClient } from '../net/http-client.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import type { ApiKeySource } from './credentials/api-key.ts';
import type { CredentialSource } from './credentials/credential-source.ts';

/** Dependencies of every provider. */
export interface SharedParts {
  readonly engine: ImageEngine;
  readonly httpClient: HttpClient;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Divides the reading and writing of large bodies into short steps, so that the event loop is not blocked. */
  readonly slices: TimeSlices;
  readonly images: Config['images'];
  /** The setting `state.directory`. Each provider stores its files in its own folder in this directory. */
  readonly stateDirectory: string;
  /** The environment variable `PATH` of this process. */
  readonly searchPath: string | undefined;
}

/** Dependencies of the only provider under this settings key. */
export interface ProviderParts<Key extends SingleKey> extends SharedParts {
  /** The registered name. */
  readonly name: string;
  /** The provider's own settings. */
  readonly settings: Config['providers'][Key];
  /** The login in the folder named in the provider's settings. Providers that name the same folder share one login. */
  readonly credentials: CredentialSource;
}

/** Dependencies of one named provider of a kind. */
export interface NamedProviderParts<Kind extends ProviderKind> extends SharedParts {
  /** The registered name, which is the name in the settings. */
  readonly name: string;
  /** The provider's own settings. */
  readonly settings: Config['providers'][Kind][string];
  readonly apiKey: ApiKeySource;
}
