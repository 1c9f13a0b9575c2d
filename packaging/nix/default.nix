# gfpoly for Nix: `nix-build packaging/nix` builds this checkout. nixpkgs replaces src by fetchFromGitHub or
# fetchurl of a release.
{ pkgs ? import <nixpkgs> { } }:

pkgs.callPackage
  ({ lib, stdenv, cmake, ninja, pkg-config, flint, gmp, mpfr, xxHash }:

  stdenv.mkDerivation {
    pname = "gfpoly";
    version = "0.1.0";

    src = lib.cleanSource ../..;

    nativeBuildInputs = [ cmake ninja pkg-config ];
    buildInputs = [ xxHash ];
    # Types of FLINT and GMP are in public headers.
    propagatedBuildInputs = [ flint gmp mpfr ];

    cmakeFlags = [
      "-DGFP_CUDA=OFF"
      "-DGFP_NTL=OFF"
      "-DBUILD_TESTING=OFF"
    ];
    ninjaFlags = [ "installed" ];

    doInstallCheck = true;
    installCheckPhase = ''
      $out/bin/gfpoly demo --field p8 --len 100
    '';

    meta = {
      description = "Dense univariate polynomials over generalized Fermat prime fields";
      license = lib.licenses.lgpl3Plus;
      mainProgram = "gfpoly";
      # macOS lacks argp, which the command needs, and O_TMPFILE, which products of files need.
      platforms = lib.platforms.linux;
    };
  })
{ }
