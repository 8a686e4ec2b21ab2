// What was chosen at the front door: to play or to watch, and how many bots. It is done once: an address that is loaded
// anew or handed on says nothing of it.

const url = new URL(location.href);

function take(name) {
  const value = url.searchParams.get(name);
  url.searchParams.delete(name);
  return value;
}

export const arrival = { way: take("way"), bots: Number(take("bots") ?? 0) };

if (url.href !== location.href) history.replaceState(null, "", url);
