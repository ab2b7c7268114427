import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Page } from './page.ts';

/** Creates a context. Returns its provider and a hook that returns its value. The hook throws outside the provider. */
export function createScope<T>(name: string) {
  const Context = createContext<T | undefined>(undefined);
  function useScope(): T {
    const value = useContext(Context);
    if (value === undefined) throw new Error(`${name} is used outside its provider`);
    return value;
  }
  return [Context.Provider, useScope] as const;
}

/** Provides the objects that `createPage` built. */
export const [PageProvider, usePage] = createScope<Page>('the page');
