import { BridgeError } from '../../errors/bridge-error.ts';
import type { ApiKeySource } from './api-key.ts';

/**
 * Calls with the key, which is undefined where none is set. When the upstream refuses it and the key file holds another
 * one by now, the call is made once more; nothing was done for the refused one.
 */
export async function callWithKey<T>(
  source: Pick<ApiKeySource, 'key' | 'changed'>,
  call: (key: string | undefined) => Promise<T>,
): Promise<T> {
  const key = await source.key();
  try {
    return await call(key);
  } catch (thrown) {
    const isRefused = thrown instanceof BridgeError && thrown.code === 'provider_authentication';
    if (!isRefused || key === undefined || !(await source.changed(key))) throw thrown;
    return call(await source.key());
  }
}
