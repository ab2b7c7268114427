import { matchesHost } from '../../net/host-pattern.ts';
import { unknownOutcome } from '../failed-calls.ts';

interface Deps {
  /** Base URL of the service, without a slash at the end. */
  readonly baseUrl: string;
  /** Patterns of the other hosts of the API. */
  readonly apiHosts: readonly string[];
}

export type TaskHosts = ReturnType<typeof createTaskHosts>;

/** Creates the check of URLs that a reply contains. The origin of the base URL is always allowed. */
export function createTaskHosts({ baseUrl, apiHosts }: Deps) {
  const { origin } = new URL(baseUrl);

  function isOwn(url: URL): boolean {
    return url.origin === origin && hasNoUser(url);
  }

  function isAllowed(url: URL, hosts: readonly string[]): boolean {
    if (isOwn(url)) return true;
    const isHttps = url.protocol === 'https:' && url.port === '' && hasNoUser(url);
    return isHttps && matchesHost(url.hostname, hosts);
  }

  return {
    /** Returns true for a URL at the origin of the base URL, which may be in a private network. */
    isOwn,

    /** Returns true if a URL is at the origin of the base URL, or is an https URL at one of these hosts. */
    isAllowed,

    /**
     * Returns the absolute form of a URL that may be requested with the key. Throws `protocol` with the effect `unknown` for
     * a URL of another host. The service has accepted the task, but the key must not be sent to that host.
     */
    apiUrl(text: string, base: string): string {
      const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
      if (url && isAllowed(url, apiHosts)) return url.href;
      throw unknownOutcome(url ? 'foreign_url' : 'invalid_url');
    },
  };
}

function hasNoUser({ username, password }: URL): boolean {
  return username === '' && password === '';
}
