import { createHash } from "node:crypto";
import { Refusal } from "../refusal.ts";

/** Bytes of its SHA-256 that a common password is known by: of 4,000 other passwords, about one is taken for one. */
const markBytes = 3;

/** The letters that passwords are compared in: keyboards spell some in two ways, and case hides nothing. */
function commonForm(password: string): string {
  return password.normalize("NFKC").toLowerCase();
}

/** Refuses a password that many people use, naming its field (D15). */
export function requireUncommon(password: string, pointer: string): void {
  if (!commonMarks().has(markOf(createHash("sha256").update(commonForm(password)).digest(), 0))) return;
  const detail = "is one that many people use; choose another";
  throw new Refusal("fields_invalid", `Invalid: ${pointer}`, { errors: [{ pointer, code: "common", detail }] });
}

let marks: Set<number> | undefined;

function commonMarks(): Set<number> {
  if (marks) return marks;
  const bytes = Buffer.from(commonPasswordMarks, "base64");
  marks = new Set(Array.from({ length: bytes.length / markBytes }, (_, at) => markOf(bytes, at * markBytes)));
  return marks;
}

function markOf(bytes: Buffer, offset: number): number {
  return bytes.readUIntBE(offset, markBytes);
}

/**
 * The marks of the 4,000 most common passwords of 8 characters or more, base64. Sign-in takes 60 wrong passwords a day,
 * so trying them all takes two months. Source: @zxcvbn-ts/language-common 4.1.3, list "passwords-common"; a test holds
 * the two together.
 */
export const commonPasswordMarks =
  "XohI73l8FeKwoB7aY4LempAEx3Xnc80bBZoAnOjbIDtwqUGk5K2TqpcwAWIRdPygBOd77nmXCcWH71EwOw/gxUIsI7Xt0vEphXOPkX67quCgTU8m" +
  "CHdRE6XCNa8l8LE5qxy3s9TNCxTVcquZxG2HOhINJBP75dUD+THDYoYSopRF2qrWjw4v6c7nB6CjYx/6LUeVXIBWcBAzgNQcnoYZprcKt/xuzhSE" +
  "oXREvNFkpwpZO4DTjumTzQjEIUSlKPARgo/rUJTcMKmJW+CItzhGh0X4AYzDrBOo6WBaYIX+0XEIFCcrN3l5Q/95EtRxT58QR+G6ejRbcwVRwKSU" +
  "togjrR0KHEZzUDDFrUlB+xK7iHmtoIEaMSQz+V/JZItK3g3o4KMuBqHYmXBiM2Zl44gH/S72YnCAi1kcBcX2VgBxLmLIgNcRWPh+EwVIeeqTTcqw" +
  "2S4GtzlV2G3G8I9E0Upz75TUwdNcnacBXS084+k7nyoIIoWH2TwJ/abPnG1AmNnVgtME1N8uzwuF5SY6GWxWzqbglAnW4RGh0kJZgU4qeQR515mH" +
  "y8RxLr2j7vE53VoTrHvf7yJm214Y5pfFxzw6HbAE5JA0DES+EndTRirsuC5yERSNz9r784pQsYa65138v7MBhSmr75K3KPYVsPYKJ8xpCkmShUm5" +
  "hf18lJnmXsdyUUatqGGJ9yN55t6xKgl4vxXW8WX8Dh1Z+huunkYzBXugRLPFkhF81QztliMUJ1G2LoRKpbgQyTRMeT2hRnQw2GW2ijiahAgVQByw" +
  "8CyWAtMvfc9Ai9EGD0iGD/n59AX5jRZJf1vPV/rIEdQE39DeMNDgyA9j4bYVeCa5xsIw2BvFejGANTedXpD3fyd0yMeBBX98+L/3KIejsNNR/MOi" +
  "eqsGckbSFX/FSgekufGVHEQ8D0fdHSVr0pmS+nZvBS2ZHPGKtghu1eNIxYfen78mBvod0rgMxcLlAJ26yMOLvdZdNTkPGMy6lUx6cQw5ui0I1Y2k" +
  "kQN6wOIa/P0HiatTK0pZgJk/9o4+lKLQhsErMcyWQoVCYJYOBCLUdPHDbMHvNyaDo1d7pXYsbC2Qd2SIHAnlO0ddGi0+Rkl+Faz9QLG7m9ZCIhs3" +
  "5kf/w0n4sH4U9MFKbSBYz5wcXy/S2b4n3/xQWl7ftwWaOgIlm/UBrJ/OutYif9Bv01okoOl/lWuvuGpwtU8I7uXLY2QCr7afS/vfwaHkWbJha/vX" +
  "kHZU5kdwpOzv2i2oDD0S+oje8hrfoLgUPApXWcmupyus0gWvZjaz1qOJQPWY+QLextTE1MNjsaJNKCdLs0Fh/ymOinviUiznS2PDGMxPAzBj7LBw" +
  "8aWDGQax31nCRatbknTUThgS+c3gIY03SgozlibHr/YwVW+cH4wXMTwe+Vm+GSwzaCa1eTfIWVSZU1nuez91B2qJiwDvzYQeEpRPg93OISP24rxR" +
  "6uXXAASLTkxWGMMTDAjABzB35Wa++dLB7gh0HhA/D/NSwmZeuRE2Mw/F/m00WMlyi8QDJ6luyD4l9u6U6ubXPJ/aDJV+QLuzKGfzzjnM94mSlgo4" +
  "sA7ybhADHjCxDtvfhHWJOpvojdWeR+8grZWNUnop2lURnkVvmZkRYeJLAQvf80Kpy14PQC7tRsdZT7XKrHqJdZNpCgXXzTb1fvRSRejzmoacXmCN" +
  "sCYgXvLDgeWxnwY4ispPzuxnc0I8V+6J3ebo+xEal+/tHyVP3qfNJFvJh/6lPnlDl0SNkVpNk9sXSfqqHjsAKKh1c1cBl6IvzLZAwjFwW5AHmPwH" +
  "rIKQVW5gKT3g7AIgtsSsULzNvt6mUQBbyAGUHBNSxqFCjZsuNEl/95Rh6I6WZSf/NQQ0SjSEJlzncQSCkfBgQARkTRGBwgx2AlCvDkgeFKQFGyTg" +
  "rDFgJMrPd1uc//xWKDElTdaOyRvZ6oQf8c0pALj5XFFqn8Jsvvm8XyiU9tid7310KIawmh4Fq5XJ/nykwfNfZv0D2wRPfyQmnsXbkmD46Tb6OluJ" +
  "hlK251Ome4rVTBubPhKX8b5jsN0mZvYtOVIGnubArhpeymjJEJEAod9tdMJaBVSl5fqUp0TZd4zHgB0LKKtPi9Ouagra804l3AuDgd2jbug9MEb3" +
  "/U3AV4Hs+taNEYBBXleejGc6vNivNfkVVUN3wfrSqhBZH9YgbLl9JsmOWMve9bH2dz8pBzVuiPlOcH/xw5AGsQj9NUOeHKxNTdP2KmBgJAJDyztW" +
  "Kg5YYd0p4nPbNbra39/KMH3H91Sy7QaPsPvdibPUaTDd1RgBSiteB4LLbWQlkd+kv5tZgpRUVdFhy7s+jQwnvhLb2QcMp6ijqK3wN1W0cr7E1jS/" +
  "bGraaMUaVpZex1dSi74YqoAvMx2FqyQXS78Kk0M+r7p2dkA3rlUILje/TTkZ9Jxj8ERrJJ0fXoYKOldFCEIoc0jz7K9pBl7D3mieWSOO3RWMG5JH" +
  "fo7q4S3IcAGmA9svnOZYppteEn7mmk6svF+5uFuPm5esdIK6RiPzDs8AQzRTTMekCuL2M8XrgNm1dO96xYXxgigLHk9S37ZmPsyf9YUecfMNVcVJ" +
  "gZQj1ttn38ZNklXRz1rkaYVkJ9CwjziO5msjwKGuK3hHMnpz3ljqstIoDVOoixegcddXf4n26xeY8amsTo8Tb2ptjaqqkVoA0LAMePmsPDMxS+HU" +
  "4xr/NWBP5mCMHv3cQDpsh+n+Tmhq/uWGB/8cxjDLM+n4mZqMOl2XcupU2/09KH3GAiRr6hWWFy1d1vEu4c9qdK4y0Ccq67ocdzIM0wcunqDmzSwP" +
  "QuHrnYJSI+uRvZTcNJ2/nQxSeATMC1QjropiHUWthN2WMAkIV8p2JOtNNIHZAshVdJms8u1Ir6bpDYjua4mQ5ABeZNcukQKI9yoIj8slw8SsU+KX" +
  "FPj0kq76Lo2zCg7LiNIBczwNjjzl29Qj+aa4HKw6BkpDUkIhxGPNp58uyMc44kPgRNobKL//nn8z//VJh3QA5foY3igCWZRdePWl6sfMTKn1neeT" +
  "m6tKMng8OcargNtCjPIXYBHX2Kr8CLXEZr7++d6FhT28BuVbbIpzS+BFx4hifBLb4LIr1U6MMEmhBqeSkleXeT9LkbI9VBwFmzB1Fcv6XxBZ6rTR" +
  "kIqg186S+VzJ0EhGVil90o77dwEasFXjKXR0qRPWFPMdaFDK7W5Ei112lJybdPESPVyV6bXziTWxIMnzhXHCaRbMP5z9pcnVH/BKAc+fMvVWigZq" +
  "W/D8yFVU4nFeP/agFDcFfRPjz/R/gtJDRabDKhrwKdIGk8awxveXU728ec6YKY7C7L+y8Lg0wnvG07sM6xHkrjuK/TqqiALHFEQ6ibaZKWj2MIMB" +
  "xndMF/gHiMOMxzwknL6QsY1YmSoqgtpm2l2Iyaj1+fZkHUtBecogrtrU6ggDxBnAgnDypUeHWEA4O1iYqKSHeuMz039Ik36NzXH6JleFrc6Y/qjh" +
  "l4DC/Be8WZpEpxd8hQqM9d7IVDOLUDqokHSITiVNFS3z2MSGssO2BKXLobghnsyBA2XKa+mjkSTiBxUTKjpqGXkXuv0VpVsBBoLFaV9wMgHpNfgs" +
  "YLQIVpdqwafCXQki0nEpuidEF3vI3mZw6xrBn8TC8OLntnyru1nEdDCj9FSjrsmLDKWChd3ypFCQdzYU+4VYWI08hZMmC9iyOnkpUgIzfmhlZ66W" +
  "zVD8htqjv4wQTszcWPlmzNdYZQAxCj8TYmsgxNVoj6Z/DZqEFqC0CbbSt1mAsfjkOk5zmeTOjc2+r/ffhIFvcEkgDCRzqh0aB2EZmQCg0tr6sHTz" +
  "oJeNCE8cgk6d8ZN+ar0huhnSMfsC3EK3SnbWKnAYhjSYjOHNRvq9rp/svO3PTqVSP8m2NortenX4AdtxzRNYtUlL1BcwjFhTZsRnIXl0KnhOFxqs" +
  "jsMEqCzoNqoVoNMcygGk+WkkrfJ8jbsfb4fFoiklL19sUiY0j8Ap6KTTfWNUer4MB6qJyqEQKX74sxb5hJOBiVInRJ9+oPnvYPgOQEg1TdTz0U73" +
  "Xk/4lk48KMnPbPYViWI55xiyCjZOp0JXcKz8+nrZ9+V5qeu5lqs3ikJiA99LooePgKxpWeBcmqQ7+oix3hnJVF9aPp8L/JGER4uMgPcEjTUUW9ZQ" +
  "06ZQdu8MTESKCU2sOB2e6JCr9b5LD75vIwQXJ0xrc9CiyJ0z0Yz82SxLp61EL+cPHlyt8AFygJw5aJnKYUHn5q4zUB1a9dpGF12TOTdmV/JWKHgK" +
  "LzPFiLHeoNs/zt7MxYfGMMKT9jO3EkUaEXh8sFyaYH8S3E1TkCiYiligdHNViUkMz/mG+x9EX8PlaYGwHmcDCDNU/0efyb5Q4yhOATmsKxcFGkfV" +
  "rR6srIEabVD2lx+lR2l4jXkt5vRYcQjFX0R8Ep22gw5Z9BsMpruNUsJ5AzkT+d8NjzmIsSuJrXOK5c4l3vNzxeVqT3MpNnTPghYX+SvygArWV+ta" +
  "nXva/OyoSEx4eTXC1CDwYL/6Amxvn7h7Nk9fAdSC5riGxxEfz7hYqQEPOnOVkIXC5ll8aYM+U0kf/mruadoGMIoXV9h1DURu/h8ih3gPXIFbNLjT" +
  "E7oZRneDt3IHltYf8IH3suYFn878BWg5dRxZVxVDwxkhqf0HdfLocT7ENX6hPUFOihvLV3AB9YhbbfpeU09Snki6FQXhLQx/KyCC+rhiJnh9x8yK" +
  "YhJLPi3eebuNibAKDAdif9CSOJVk40YN+V5nXbbFs5pufDE2i1hu/um9e8Duwd9hdAXjSBZs1/TTf8xf2iNguNVs2ST9UjqhMJYrT9B83460psZz" +
  "Um+YGGXkcBZnromH8L4fHBsh2QeDZ/P0mn7Ip60y5qe0zehgKLOLhGI6ED8iB1pCnNwgZ6d04PArIdr6Fm9/deuTQrkQjscdU6iuunhSSZPuj1xX" +
  "E9JJ/ooL7tp8i8NF7Tx7IIvjP4N1uIggnU6m6Pvv8e2C0rhQUM1X7thuYQSSdcIJE1D4jk3HCYJfwMYi18VjGvKTPb/Jt3RCnWXhN2gF8gu1axoj" +
  "ILBKUSmk2PxXVb4H60nqhOvBO79cX1/Z/ZmlPi8qa1Ze7c0jXnN/dYIq3Dka2NEbGg/eL4gVwhoteNPFYLQL+415P83Vrm6z83SVoXMSSDRTW4kH" +
  "iExh9PPIPQEe67P7ihoBBVEUBtkvlA+OwnZdQVta5+gyYYJJ66dZW8uAoNaWeOsLllq7OBh7YjaVnxNftZoqfJyaF7/JXQwKZalgr/h/xtbA/JOb" +
  "cfdO9rS8amI2q5dURs/SNrd3ASL3AOBk9p+TtGhSosqxOm4pi75AUaOtS2OpRuF7QvOMd5O60b4Hp8g7aVo5o4Y8XcJqCEg3lw6vzkfL8x8XK/EJ" +
  "BWI7aP9jv5fHaXSNieAVj6pBwgA32+P4bdlb6r+rmve8m+A5cOyqYOoR6rwcsP72Ofg9xsT658tbd3Uk2xOSHGMkYYLGsimFPzNxAgDwR0wSsE/x" +
  "Nu/WKRluGv16JYPtVhhFs8JTn29Ns9F+tIla9vWjIvOrw1sN7xxLP5ph7MlJ9AYWIQLvi1VUuGPSaexbFo5LiEozF3NMHJ+OWI7mjgBGAV6zgv4m" +
  "wvt4Ds/fqd7s4fihf5I8+Loo18Pc8n+RYvwasKz+VnayD2pbwrp7D2u2DgUy1LvuZbQznM62OO2AgCydOe6BWilWxlT5zeUnLSItm3r4HOOojGJ1" +
  "fc+o9hA2lTRXItM+saOVj8hLqeIReZjtmH+pBpJqOth95szOe7NbBJGcj/qvGQpreBVNEbm47XDltULg9BhlCnYkYn8fMRPJOKabIbpTEiAmPxMp" +
  "OkPbwkZN8nXJ9IkCOadZuEbpMfelPHC3IcaseXyvy8VEozUXX6EcI78N66I0wKuagqg5SloMiG/MvB1lH3Og8EzZss7cHbVUXI8beA0GG60Brmof" +
  "jz9S0L081F7Dfs+kPj1qiBPmzFiSekfU9tvT6EAhlKQcvZ8TFveKegGsOzMbgcv0z2MXsaShCXFBqM1+E8w1Cm1ZAL3bpD33KarobLUauEL5rG2n" +
  "ys0RH7Vl1ZVllYJyiaF5ZgvDOwP7UAdRIYuBvnQXk8Jxg3ndyQK+qsZ2gZ3tJPNEKBELzaQZqiscVrjD7D6qHVjWjYryCWoCFjDSKm+SjzwKsH7D" +
  "h5xaUM03103tFkg+9iMrP7MSfUXw7EqF7uZPiHTKZX380Mg8Yx2LinXMHqY/0vFXNDYlvIRX7RkJqn5ibpi0t7jvKTPnrWMiJaykR5VEWTtNeJZ3" +
  "5tqZtbFZW9ncfXZwtsRYnzDY9MvXKiMtwZEiKkJIxKQXMAyy4hUS6ADpInuwN6k5DRcJIFBMAz2O8yTjgdBvUhEq7dj0Hh5XkN9fQEk2N5gZ+zjq" +
  "cx5usiH33gNpgPpNJMI6q6b9JVZ1gc9Eg9/yOXJVl3Gzr6LRBaZCSkUmY9gdUluR7rv2JdY1O5whto5oSt/5pfIW4XrkdF0/+lQsZusnwco7FI3o" +
  "5EINRqKBzGJVVea4x+XdKYNQH1F57YLS29zwLojmduHLjZqkQH7o+sgHzJ8LCkKwpKHhR4ZUUgzDTBI179brH1CHKLB8qSNHrbvwwlsHcjJaCaTP" +
  "lNdWBNUrdwYfwG2+Ke3ctugbMMzgT9FI9ZM1ZQ4HD/ZADxQIiDKNqj0VVPoKFkxOEdwtxGND7Q5mZ7cb/E1sx2SeDsmQCOvcod05oTj0SZPW31Ey" +
  "9F1zO5ArG6SWSRN+/vMantpTafW0oAMmDGV3iP9CtZwd5C2XpbDhVLLrv++aejgYiXhxa44lvlZoGYMA/ynLPFL3uZRoMundZtQSfElZ1zl4WQYF" +
  "PD77Kdepvzy2Uxr9KBgvNVVQEXYE080Xja30rVicfChSPxPErkge5mzN6opx4Q8fMtCD6wjf7u6n9ffHZbPQGag9eHEyc7XqZ2J3QeOgRaj2idR8" +
  "4wuSciUy9a0+RJsj1WEgTR3CBfQR/yR7eD4T1VkgPA9MAOQH1RMPHh9TMUZvnMqZH6eUYrPQRGklN4ZIiACS/82qMmQR/N2zMYkaMzEY967WlG8s" +
  "DSpHrCmfAYjqb9KIHIi1aIhfbsjIGvoLGz21zU6JH98+mRVA9GmaC2vsVLJzr6s2TiKVDzlo3TPJGqBGHE8fqx8XP93vvdYMrdwQxmAxL3Lu5AVm" +
  "doEv4CUWVhisMVfTWXWFM8vyrEYLzIBbE8Txy9H5WiZtiWO0P3/gE+rtFRF9yKn989dftbuKwZZF2PActGsJSYlG8TpyMHMCUWfpMffji/MuTJNb" +
  "1By/56OohmIhxt5yEErsvmYTqFIlYkZev/kaPVn32lBT9Hg8J/V2r6rtoHXRqL1dvDNv17rq5ZrmQjr4dS9QZVhPxk3OL+774ysKLn/OPGEPE96Y" +
  "uV5qBwGEeGEFbw313y+xvvl/AtD2heeqBNgnJCrYGoYf8T9FwBFUABb+hoVk/8smtTvPQFQvyMyqlVxPm8avm0DhKof7H2MJczly2eNvx/JiNjFC" +
  "8MPNbuqLNPeSRI1n0aowwmg4EwwNVF8Hq+2YrbpsezOBo7x5dlNZKKr4mxj+Y7roBcCKC8B0R9IGpq5a9AC+iREe7ZKyy1dqIEW4jb8ArlzhjzV7" +
  "0G0lW3DbxDe5Ye5bG234kJvdSmY76lkgX2E32Cd69xbQ72RrlsQlJoomwFqgHIFgVbSKOiwWUwxxzMNf7Mfc+hXP9ZqfxZRK3iRPI9Z6ZUYRh5YQ" +
  "VYkDXFCRQaL5EtTm2rLC3zV/w5Pc3bIFrwPjoEvi+PX1RAh26/SdqKcPjltX2FYYldz5iZ0T5wI7t67UlQxUWVDyn+RIjE66qucyHIgWOumb/PlJ" +
  "iCTsSSvtKHwzdg5oYlCixRj6S9P3MJt8WMhHU9U58faLzyEKpBNfv8LQQMEri6BKNRLH7MBaCVnLlD60x+RqdlbJQnDq6V/9pzpxrOmIst0bOhoZ" +
  "Uw2BXfgKsMzGdgGUjd1FlmuChKtY44IN3XHFG9j3wse426typausE3FtThqhpHqL9qg6M22+up9uwRIzYUHIoZ/NBUezH2UHmfeMz5KdPE750kYo" +
  "SNKlMlC0rTkIW7ZbXzs7Z5O5q27i1YoSpbrbrrd+E6phEq1KN2PnnTxAoCTzlKSGDB2sujzq/fs/ynaNYpZqXeNzyrxkW68VU5lBpHqjjHOzuaXD" +
  "Z+Y27w3az4hGtDq23Meer5dk4wRNS+NHKxxmArF4Tm17ysaBkTC0Jty67QqW0UsSuRmGGiIgNbvR62fCKtEkg/nXbKfr9s/ioc2UUlz63WxY6lb/" +
  "9Rp9XEiLOcixlMbqTcuCTHE770UwK6SopGejSf8DCls3krVaaV5+qW6L09N+qxUzsTCaukZ2aOmXPcQ9Fk5wiKMmquVXQgkZNr2/C8s+iweaUbNB" +
  "kmyqqt+K9Cm46XbQnhOeAjS0V84K2364JNvSonthkj5X39LovUcdtqay/wEXR9cHLKw54Ukh3nN0YQWKay8pghyw4n6bwr0cu6dhFQ8Oi4dub2r8" +
  "/8ozCoE/JDqwHWSyMDkkap85hH/oPrq5cLYUzSazqBL1r27pjOTgP8vz8HEnFri/jRNwZL/vtf+z9wVJ5+7y1Y4BUedboZ6gdMNsYmhNVcGFH9JG" +
  "PRIXcLK34QDX0nIm5rrl8QUz1rq0js0cFdEgifQCR2YKQciRMLtGHbb8eCYQqnEY89VTo2bYS3Ti1NELPFkyK5c+pfMANxzJDSAv/ChjwtxW1dsG" +
  "XJkwn4vvGQgGIgVWcFhu4hdqjegvM00Iyr3VJpIr0epexM7B5a3ZTTCn5nROehnKhABrV6SRLHtxceBTkCqI6fuatfkKuEFfaW57jXGa/1b5qWoZ" +
  "7AQufRBtK+Qjj8xXZYBkfShXIyLQzwJl3070FEFSXSvfQLZkbecYUBhgD+kR/Lc82h33gAmir0L7UHDgKBYbJ/6Bz8LU7hDXzBZZkyPdvjflAQRT" +
  "PN4oDGPHQsEI0nGNdGbLr1P4lV2xLwLtxHDEoduZud2iPJ1BAOr6HQwKoqc5kcIso7pxJAb0xe1/BUjvY6ebrkDvJApaFRtTngcappXhb2w2B1oc" +
  "m9eVaViVoNGdS2C+AVBo/6LJCbVbw2vh8fgGg3wqFPoNTv0NUpH8oelSjqZQjunvAwYzOfYhjP4vZzUHFMg7z8xcBFC5SekE/EJzwVVCLMj2kyYx" +
  "lstSfNUmxlofxgtF+ih/pNg/VKe/Qtv/6to+ZeL0HLqZLYyRPoGS3YMk2G7so9ADxUEiqrD3Iuooq6+QVeBSKO557L6wlPVoUn2f3kA3VgXYhfRV" +
  "cgWeQENVlU6b5c0SDxRQdw/sCyTDg2m8u14CRQXlcaUWzJed5WbFD3OMrchebXQTwrhILlQe4GQG1Y1zfu9KvPEu8bPjnwABcZN1TtKPaP3DMknS" +
  "CxXMgZIQok763MrrZd1WZ3dcZJ9wWzK4XD5wisUrdhSC6IZOWyzgWKe3+UN0ZtvjnljDEYfveuwjL2+zr+7Sw4THQ7x7Wp3c4eoevWnledVggdEy" +
  "YnZ1luj27KLnnx+h2ddvQdg5O14GK7bcr6HV7xqJzUNexEOn6scG5YU0bxzPQrMoEOrD+q5P54adpHeZoWWaWWrvGqNV1YMZN1a1qNLMlv3DdT6l" +
  "o5WL0wvWGaY4XH1M08hoZeO1Da5N9jgqTxmOx6I5aUUfbV1Fq+alKiSH0B0Fz4NQqye3bLmX5NULno6SAlCFzIMhFOq2heXpbH3YibMElWfU/1KZ" +
  "oMoguVBfKyIZeynohHjRKgNPTU6oo2DvHdkwwM9LKGK4BcY9nxJ3wg0pO6nhrxaEMy8vimYqrgs7QV7MIFVWa0EQFRAifEpcUgaCECb/yg7au77Z" +
  "xio9/VjEbVLbn+YEWjehRx31FENHBNz4Q1h/cAgAvc+TgPgv00EV5OzNWl+/CKR8Vj0ZejR+xr8DG/EKB9hSDdANiPRxfBsBb2YCnQUVO/FX4bMT" +
  "KNeTYuvsd9gnGe2p/7f6cVzwbnQ8anmhnROOGlYTUyg6U5TzZe7jq1CZdkCZcx7FZG2F45Gl5AsPjbzSi/WXgOHsr+8KbuAALDhVEBA1SU2c3eAN" +
  "765z1OVds2pRQlN3AondLKzKm8NqJY8mcKKbengB2KBqULL/MbOZoMMlQ0b/g+CcnU1eoAUqSrbPgNT5Nq5wmphCEiRHSG0CCBrKRoW67gQi6Rjf" +
  "hXIKcV4AZgErQUlfyeZqXFu+FTurTvWtru3ozrGGdAf1ucY2Etfnyhn5apoQqj0vBXq9eg0a+mt+bnUk/yGITx+FcTLVToXw2JNgHcG8xH33LXzP" +
  "94Bipffj/2fuHsAxCQziVAmllj+zhztty5zaDL7Wsfc/tk0q+cQZihRHem4xu52re7DvWwKpSjaSBvoLgi9RIeTW2MMeBXd+Az38aDmVF06+/ppD" +
  "Q6DCfPYKFhKOafMaaMYVAtv9pQkiucPAnCGUX5q1SZFEOkg/bwYF83b8pC6luxd1C6VtPP1xD6LAHJpI/zs0Fg0t7U377bD3rKpO4M3vHtqZrCIV" +
  "VSHffZXhK8bMPKaRS0HcWXnBV/Y7J+IHDHk2es+87FrO7uICZHZQkNvzA2iIMb14AdSgh/2LAMlwM8YfiGcLkOdw8o0UM3b6banvVrfcXUm7QyM2" +
  "ccDse2eSDgY3DUO4SnV9Qw+8xBxA7dv/VkiblvZU376CXlkbVn6qbRTpTnPQt3dU+yoCgzmQKE//1wmAWMSGhf13YxFKS481WeFmAIkOCfunRh16" +
  "Lzmw3TaM4Rd5FVEa0EA7gN8SWfyrCP68+FuraS9gT8atVBAv28D/nKEforH7o3MG/He8JOOScSqQamIG3WuFHuwzC5ZPzGaQyI4mdVhhFzf4sTXj" +
  "xad1GOJGGBoPvVt0FmT+fLlqYglBXVZLg7yICGjuGjpaby8AK3TY4HAOve2gpWffB74r7WaBuv4vm+E2F3ai49I85wYK2WAGmj032BofpU6jnIR9" +
  "2ZLOkESuTfayzXNljPuLNOwixTUN0IN/5DhFppzRng9R3bUoIAuf183HQNsOLO4VkaziPeUql59nzJEOlSNP6qGRpBSOF3bk3JMNetxA9tEcdP4j" +
  "LG0oHEX2sDE2+YAH1xX2YtcIiUTGgkRfHf6hN6R1JZAW32OhyBUyaRXSlRGdb34LW4hMWUsRuhC68cYSRxRCCOi37wDwZk9apU5WKKLin9dKn1P+" +
  "5NIt6jweUmmKT8UK53Ej9hG+ajy5Oy5nQVD6ImCY8IU4WuG0jI4ItmdEswSt5JhCbZQ6W6raNgsn0Y+FEv3k4JhmlkLuJFPD1bQDczSVxB2NrIeR" +
  "cwD5hFwR5LjRkakfhuDB9mTZYa94Bodps1rFwK+4uEaIOFPH9zlkx6Oid5LNeVhJPjeSRdtajCvwr52jnNY4bVn2XbPdDzLKxTo5ImelnuxHJuyf" +
  "CJsFjeZWC5LjXOcw8ZJRFI9szmEk02kOS9MZjdJqS4UbutA93Pu4x1exRiQRHBrDpFxUfCbvQxi8wKramhgNZx8ewvq1aN+5frYmYWiPk4IbMTOT" +
  "OCopW7gtBPzZwTcN/Ee7hHUsArSkcMHI7ORTKu+uojnKTx41B5v1OOkeizbiYi0RKyq+vaXGvHpq2q7y5V4RqdaPEVH5i0IdoPGxduzWAkROz6Cu" +
  "io9VJgPEfPPkRx2UgBnZ8grWp81ikhqVBWpBeaqTyyUbBvdfi6PZtmNO8EE8sLF4/Xe6WKSoBg8tvoHlX1sk9mod7VHfoe3+JtKgtUBkjET8W0vS" +
  "1ZRhQ+N9iimr0wLxqBWKs0G2ZQh9GJKZw9wdkv6GlBbkZGmbuu8yQn4lwO57sNGL3VgwqGVYwHV+9YvbWV6F6K4iD985Qg4IqNoSyXwYKwhRTJzo" +
  "O/erwpDDw+iJe6IHfBZ7ZeS0kQLq0VJH0h5nFDgFYiazvZd1KQf/OvIVc2QT3q+5iymj9vUIEnfGShUIEilxGWJJPVerATNWBXbSXGGvR775tvn1" +
  "YBPF+n0QgrCJe51SekQOWwUiEmJH7d/9P6hyA39rfcZ1FpEPZkk4gBhldqj1pn12jQVzsuleFSBJaQUBobG6nQRNTpOS38laVuVUhbZD6lVYpisY" +
  "Nep8BUPK1KnHNGcvMWCHG5ZkfqrPg4UEjpbxIuaxd8jLfNS0LUX1HhPC+54D7MnayQB0G0iW57oyHOSQqwj+vTROsj8VHSz5BGELHRmjyTfkZef8" +
  "62jVMPBt0HVeP5RCU4IaHha2aOAVwAmYE4PMSnj6PB/N0nUPSqAWhEWuUhBpp9TT4cJIp94AIWrTD33kBknA8wR093WCObIzcOy6d0ZvSToVlK9n" +
  "yL2EOQLr8rrJLLTCrfSoVIYrTgTR9g+kbzl1CDLAEuJ/BFuruwS+2ozHFhOvzTqu2eIYtcxeDslRl8WAO0XCw1vQw3kTDwa16QgMAaDGZjEmXLhJ" +
  "Ec6BJ+7PSx7kQBM8Jhi+Fs42vF/PzJY9rExSGXhR+gJYNxsqkRGd9tPHzOFf7eP9G27eFsctQAar8NE1tC7vo4i9ITpz8aDEvpw4Hi+evsOU4E9p" +
  "ksktSO2s4gsTNxrRAeAFAyliwKMcVNewKQyw2oLNu5oODwwalIc5IG8fMemkoqCalWWmX/VLNiOIu8YmyJCqwFHzi1PwLL5Dhe70B7narTYi0JdM" +
  "Z2pg2kx9Lq5pIuzNd6kbFEaMhpCEYNNTVTP9Dz6GW97Bt/j08d6VPSnGbtvH1qnijqFGfOPyfyzbAZprecskkADGPjvyDpgRmY24rHCSINKj0vym" +
  "gM9m1P5tGXmT6PWDs7lAtX3EYD5hWjPYC3U8LaD7rJtpW6rBnDfU4pwAPp530tA0ItEy2MZHHpQbT28CmhIQLYJ7Euku5fWfU/YbUUlnWHPk7/Qv" +
  "Fiq32ho+imRJfeeJK5uVSITBXdXeLsgyoMoiE6eOR4o9+njGTmbZo5GGgoQIDeUB+zMlvsSJIS1KKB2S5lgicadX0QFJL8gRTHiwJ1T9sueOTJVT" +
  "3dSPHVYgR6DIW93wLxg604gpz81lsUyLfqqWjTy7E80c3qcRAB8/PDyNzuOa+R26wn2tH/OjTRh6sIFfN+gGQKE7oN2TaGN3lch94IH/JeTuK8lR" +
  "5NcCLTMFgPCfCmck/vAd5PZpa60hrAxwlFxgrqSTPAdKoJYyw9e9DbbSfc4NcrTweGOj9GkFfdGugw0g/EfmTc8yZJpQitafMx51+eWz7lMXUYgo" +
  "bvkGiggXTsIfQo8EaZqkvZrszGnPzZuHWRXIctJS+ottBa8FJAFCHZWVkuw4uOH8KybbFzJ0Xo7dNFK/NSEifJlCuluUTZwn2cYjebIQlwLO8+Hg" +
  "rR98xbmeJXjZUNw5JowlsY/k7qaZSntyhbW92HSE9aikfeNkVmttzAbLOdtKbMvrUFjaUOytz0ZCPPvQPJXVr+4boEID6pDEwA+y1I8RoNc/3ZJI" +
  "QHNwrMerGvRLWyXftBSZC4J74M/EWGPKGgOx2m7dmVr7IByOWKOTfs1ImCP+TecmBEK4VfZhIyGUUuhwzG1DE+XxasvubKla5BmUpXINGngW58sy" +
  "honOYos1cOBr/zdWPTJp0a0DIoZQWOJOABJ3HctD6Y6ZekJWAAA1l0zCk1BqHBiKdUBoNJ2UkucsLqiMOHq+08BrOLukNsQr6dnQsiFw/n6gOV8p" +
  "UYnDCWMB/QM5OfhajOlP/C3/rPnpkDJBUN70aALTwdSi9KslarFFodA3sIptOMdj48vcFgXUpcWhB4ndoYdCNNgFnrfuXBCkWy5M/MuvLnr3fBf7" +
  "SYRThbBcNtg+MToPgRI6YFA0kKCANserA4KzccOLY3XWpGT11niMtfx4cVbWN5nBQDJFDaC5Sf+gel1VvF25VRXXPUhv/1kH3oR3aED39cX/2neI" +
  "uztrRXKp5H3Ac57EzvaVnNz7sM12mORJGHccKdx9ovOqmC3KaaIYG8o7WLgjgh2wWHkcZpU1pz5jQ0Juig+oUeSR++YhO2hBXMQCZuNFFBze2gmO" +
  "sQgWhysVbxa6duhPSdh3Nnu3FZJraE7MW5jx5na6TFIirSpxLfNtrREfhbYR8S3J5Xp2XF9L9ONnCfoouNoI3dBnT9l9rr6l5ioLYeWX/MkISVR7" +
  "s3PO/Ef2wjzk7APP4/1uQxs86vJgRT+iPvB0E2pgyW+PYlEgoHWKdy6opOajUBgoKROoAMzJqwko68zROVJAwwCSLpIMd48RQR00Fj67GPPtSFfA" +
  "W/IJC5bZeoeMbYLfsxA0nh80R4n+/oJbnU0ntgPeWRLVKaIhX/7Sx08xiXeRXU4b5yuH9ACi0tfAL7dyCBhBxh2g9fezEo/6BQ+ZoDwywrA0Yjyg" +
  "I/UyJxE3tvj/D/5aLL4T0h+FKdUpYRr107Ad0cXIDz5oalZSs8NpZHCc7CfFH23QD9Ra3daFZ/UUN4JlgOOQJbd9IDrQuqL8syrbU/aLUcK+OKCd" +
  "ljTvpHjnlOz/3EtOnk1PKhCZ+0hXEULDF17EK2F8l570v5oWiE9FQ4t2JmZJ/CeNL9EAHgS9l7CGQYzVApdVEdkCYwgowh+H9OSrBLrTYD6kHyKV" +
  "t5u4FdfBIi+Zl6uq/HZHswiLVSnWApPJPaT0I8uwFgY+sfjhdB2Rs+M3jqrT3ds9i5L34iYziCCZmViUDCTzLgxo38ql18LMg84haBSb6g3/Nb3G" +
  "dki7CgDsUHEq4Tux4Vk0ecJJZ9+cssCd4xRCzhiIOHxdgoX5DEkO10Em0CRNDnl41jWIERy77WKjNbT5NprfK2JrXN7q1nACTO+w7JlKEvIFgj//" +
  "nThoIYSOjxJMzsQ6F4TNNhcPMoSHkfX7KJVxxwVZJ5lOU4HNQ3qDQjwWbOCisXvYsh48Dmq7xqA4bEgTfJ0gRGI5P4fJwfeW7okAdC42TS9R6xrd" +
  "UDNDXLqNFGU+D9LKpPTqP4mdZWAKDZdy5/+Yi+aIxrwRugE+54mrJZuNv3mk4m+4tiEZ/0YO4DCn4tWcmbSN1EJdhV1ichcmQVUi708N7Z1JfJ/O" +
  "4onQ5p+ABgNC6Jw/x/qwn/Q+HyCt/NIN/zsLMru0+GHDkJ9uOH4QNDV79ur6P3ljHzYiTUuMR2AorgnpJsRrGaUXGa44Spc/rNrNjF2Xs0VjQeMC" +
  "9pl5EFJgNncT5hrerW5M2tCuUeTmGvuj8ff6JEdBtOUyXVpwwg6y42l3SAu1+X5ihC8YNEgjXOX9uqt7AAxfJrH6Fz98SpXKCOxlo1T6R1MdpUc8" +
  "uHxS6bwC6IbXIoz4waO91CQnxt2MtmUM/CNYxRshUu89T8aZVT57pSCzVe3znBazkXuY0ND/loidJUeI1lPqHq/oIk7GGiD2LEd5E2204vIMuaM0" +
  "AXg+kPgVaciSnlBmP73K5uVgfSzRwhI9I//mLD7z1ITaRAr2HPpvDoUBRCyWFREQq02AZXuaeFnEfJ54x2iePIDR+zJRApvRGBr1jjECiRPyvSBC" +
  "gqls5ivb6Cfodw83j05R+ABoWCGo2ik3mmOhdUl3Fn/kNL0uxhuOd4RXuydNOKyVCXGdfsSqTD+GIwkFk2nmz54KdpTWC2AOLKFjXEwrtheJ8Ji0" +
  "053pVjd+GnVhoXR3gy7eyn+MT0MOcIVkgRQGcqVHM4cY5fobH+fgxmrZzexLPPoLtB1uWbtDQWVrxeJb1uqvSF3PfEQAfIxgy4stO9wemCpzvUQp" +
  "/1A1CnHbpyEg4lbujwJeHK4rxomOq9HXT6ToA53joVhcYwWmavMIW8AyxgukhjePHdeL8bILsNmTCbYyajdrh3P8q0XoTe0zWeTO8Qbi1NnK/sE3" +
  "70lJi37qbpfKageJRK6PO0UfQ6nwANWg4MQAwtnTEs7dVsrAC+FMaWL9903ARO+fqjMHuAr0/uTKWjgfzM3aNYDJEuk3qTkxiC5KcVzOFjSxTL46" +
  "apMAAfbe4spqe7xe5L62qP0Q1ZiQ+NJ5v25u4yEmGwGRxotNzFRjFNRWApKnQgryybrZFlNdxXDgDwaMKsFeK9qkMpJzvs24";
