import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Page } from './page.ts';

export const PageContext = createContext<Page | undefined>(undefined);

/** Returns the objects that `createPage` built. Throws if called outside the page. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('usePage was called outside the page');
  return page;
}
