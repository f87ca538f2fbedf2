/** Whether a target is on the public internet, where load needs an explicit budget. */

/**
 * `true` unless the host is this machine or a private network: loopback and unspecified, RFC 1918,
 * link-local, carrier-grade NAT (100.64.0.0/10), unique local IPv6, `localhost`, `*.localhost`,
 * `*.local` and names of a single label. Decided by the text of the URL alone; a public name that
 * resolves to a private address counts as public, because nobody looked.
 */
export function isPublicHost(url: string): boolean {
  const host = new URL(url).hostname.toLowerCase().replace(/\.$/, '');
  if (host.startsWith('[')) return isPublicIpv6(host.slice(1, -1));
  // The URL parser has turned every numeric form (0x7f.1, 2130706433) into dotted decimals.
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isPublicIpv4(host.split('.').map(Number));
  return host.includes('.') && !host.endsWith('.local') && !host.endsWith('.localhost');
}

function isPublicIpv4(octets: readonly number[]): boolean {
  const [first = 0, second = 0] = octets;
  switch (first) {
    case 0:
    case 10:
    case 127:
      return false;
    case 100:
      return second < 64 || second > 127;
    case 169:
      return second !== 254;
    case 172:
      return second < 16 || second > 31;
    case 192:
      return second !== 168;
    default:
      return true;
  }
}

function isPublicIpv6(address: string): boolean {
  const groups = ipv6Groups(address);
  const [first = 0] = groups;
  const isLow = groups.slice(0, 5).every((group) => group === 0);
  const [sixth = 0, high = 0, low = 0] = groups.slice(5);
  if (isLow && sixth === 0xffff) {
    return isPublicIpv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
  }
  if (isLow && sixth === 0 && high === 0) return low > 1;
  const isLinkLocal = (first & 0xffc0) === 0xfe80;
  const isUniqueLocal = (first & 0xfe00) === 0xfc00;
  return !isLinkLocal && !isUniqueLocal;
}

/** Eight groups of an address as the URL parser writes it: lower-case hex, at most one `::`. */
function ipv6Groups(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const groupsOf = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const left = groupsOf(head);
  if (tail === undefined) return left;
  const right = groupsOf(tail);
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}
